import type { Page } from 'playwright/test';
import { expect, test } from '../fixtures.ts';
import { LoginRoute } from '../routes/login-route.ts';
import { LogoutRoute } from '../routes/logout-route.ts';
import { StorePage } from '../routes/store-pages.ts';
import { must, signInByApi } from '../support/service/api-user.ts';
import { type TestService } from '../support/service/service.ts';
import { arrived, deviceLogin, openSignedIn } from '../support/tunnel/sign-in.ts';
import { texts } from '../support/screens/texts.ts';
import { openConsole } from '../support/service/web-console.ts';

/** A new link of somebody's app. */
async function newLink(service: TestService, email: string): Promise<string> {
  const user = await signInByApi(service, email);
  const { code } = must(await user.call('createHandOver'));
  return `${service.consoleUrl}/store/purchase#hand-over=${code}`;
}

test('a visit ends when somebody signs in or out in the browser, also in a tab that is elsewhere meanwhile', async ({
  browserHere,
  serviceHere,
  email,
}) => {
  const other = email.replace('@', '-other@');
  const page = await openConsole(browserHere, serviceHere);
  const newTab = async () => {
    const tab = await page.context().newPage();
    return { tab, store: new StorePage(tab) };
  };
  const [open, away, beside] = [await newTab(), await newTab(), await newTab()];
  for (const { tab, store } of [open, away]) {
    await tab.goto(await newLink(serviceHere, email));
    await expect(store.fromApp).toBeVisible();
  }
  await away.tab.goto('about:blank');
  await beside.tab.goto(serviceHere.consoleUrl + (await deviceLogin(serviceHere, other)));
  await arrived(beside.tab);
  await expect(open.store.buyer(other)).toBeVisible();
  await expect(open.store.fromApp).toHaveCount(0);
  await away.tab.goto(`${serviceHere.consoleUrl}/store/purchase`);
  await expect(away.store.buyer(other)).toBeVisible();

  await open.tab.goto(await newLink(serviceHere, email));
  await open.store.buyFor(email).click();
  await expect(open.store.fromApp).toBeVisible();
  await beside.tab.goto(`${serviceHere.consoleUrl}/logout`);
  await new LogoutRoute(beside.tab).confirm.click();
  await expect(new LoginRoute(beside.tab).heading).toBeVisible();
  await expect(open.store.email).toHaveValue('');
  await open.tab.reload();
  await expect(open.store.email).toHaveValue('');
});

test('“Get started” says what is left to do: who is known types no address, who came from an app goes back', async ({
  browserHere,
  serviceHere,
  email,
}) => {
  const steps = (page: Page) => page.getByRole('main').getByRole('listitem');
  const text = texts.en;
  const path = '/store/quick-start';
  const guest = await openConsole(browserHere, serviceHere, { path });
  await expect(steps(guest)).toHaveText([text['store.step1'], text['store.step2'], text['store.step3']]);
  const page = await openSignedIn(browserHere, serviceHere, email);
  await page.goto(serviceHere.consoleUrl + path);
  await expect(steps(page)).toHaveText([
    text['store.stepChoose'],
    text['store.stepPay'],
    text['store.step3'],
  ]);
  const { hash } = new URL(await newLink(serviceHere, email));
  await guest.goto(serviceHere.consoleUrl + path + hash);
  await expect(steps(guest)).toHaveText([
    text['store.stepChoose'],
    text['store.stepPay'],
    text['store.stepBack'],
  ]);
});
