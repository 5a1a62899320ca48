import os from 'node:os';
import { expect, type Browser, type Page } from 'playwright/test';
import { AccountRoute } from '../../routes/account/account-route.ts';
import { ConnectRoute } from '../../routes/connect/connect-route.ts';
import { DeviceLoginRoute } from '../../routes/account/device-login-route.ts';
import { LoginRoute } from '../../routes/account/login-route.ts';
import { Tabs } from '../../routes/frame/tabs.ts';
import { VerifyRoute } from '../../routes/account/verify-route.ts';
import { signInByApi } from '../service/api-user.ts';
import type { DesktopApp, LaunchOptions } from '../host/desktop-app.ts';
import type { TestService } from '../service/service.ts';
import type { TextLanguage } from '../screens/texts.ts';
import { openConsole, type ConsoleOptions } from '../service/web-console.ts';

/** Signs in as a person does: types the email, reads the mail, types the code; ends at the account page. */
export async function signIn(
  page: Page,
  service: Pick<TestService, 'mailbox'>,
  email: string,
  language: TextLanguage = 'en',
): Promise<void> {
  const codesBefore = await service.mailbox.countCodes(email);
  const verify = new VerifyRoute(page, language);
  await new LoginRoute(page, language).askForCode(email);
  await verify.reached();
  await expect(verify.heading).toBeVisible();
  await verify.type(await service.mailbox.code(email, codesBefore));
  const connect = new ConnectRoute(page, language);
  await expect(connect.heading.or(new AccountRoute(page, language).heading)).toBeVisible();
  if (await connect.heading.isVisible()) await new Tabs(page, language).account.click();
  await arrived(page, language);
}

/**
 * Signs in where that is not what is tested: with a token from the service's API, by /device-login, which takes
 * a third of the time. `page` may show any page of ours, and somebody else may be signed in there.
 */
export async function arriveSignedIn(
  page: Page,
  service: TestService,
  email: string,
  language: TextLanguage = 'en',
): Promise<void> {
  const { protocol, host } = new URL(page.url());
  await page.goto(`${protocol}//${host}${await deviceLogin(service, email)}`);
  const { signInInstead } = new DeviceLoginRoute(page, language);
  await expect(signInInstead.or(new AccountRoute(page, language).heading)).toBeVisible();
  if (await signInInstead.isVisible()) await signInInstead.click();
  await arrived(page, language);
}

/** Starts the desktop app with that user signed in, at the account page: without another page before it. */
export async function launchSignedIn(
  launch: (options: Partial<LaunchOptions>) => Promise<DesktopApp>,
  service: TestService,
  email: string,
  options: Partial<LaunchOptions> = {},
  language: TextLanguage = 'en',
): Promise<DesktopApp> {
  const app = await launch({ ...options, firstPath: await deviceLogin(service, email) });
  await arrived(app.page, language);
  return app;
}

/** Opens the web console in a profile of its own, with that user signed in, at the account page. */
export async function openSignedIn(
  browser: Browser,
  service: TestService,
  email: string,
  options: ConsoleOptions = {},
): Promise<Page> {
  const page = await openConsole(browser, service, { ...options, path: await deviceLogin(service, email) });
  await arrived(page, options.language);
  return page;
}

/** The path, with its query, at which the pages sign that user in by themselves. */
export async function deviceLogin(service: TestService, email: string): Promise<string> {
  const { deviceId, token } = await signInByApi(service, email, os.hostname());
  return `/device-login?${new URLSearchParams({ deviceId, token, next: '/dashboard' }).toString()}`;
}

/** Signing in ends at the account page. */
export async function arrived(page: Page, language: TextLanguage = 'en'): Promise<void> {
  const account = new AccountRoute(page, language);
  await account.reached();
  await expect(account.heading).toBeVisible();
}
