import { createApiClient } from '../../src/shared/api/client.ts';
import { AccountRoute } from './routes/account-route.ts';
import { ConformanceRoute } from './routes/conformance-route.ts';
import { ConnectRoute } from './routes/connect-route.ts';
import { LoginRoute } from './routes/login-route.ts';
import { LogoutRoute } from './routes/logout-route.ts';
import { MiniAppsRoute } from './routes/mini-apps-route.ts';
import { Tabs } from './routes/tabs.ts';
import { names } from '../lab/addresses.ts';
import { must } from './support/api-user.ts';
import { expectNoViolations } from './support/axe.ts';
import { connectTo } from './support/connect.ts';
import type { TestService } from './support/service.ts';
import { signIn } from './support/sign-in.ts';
import type { WebviewApp } from './webview/webview-app.ts';
import { expect, test } from './webview/webview-fixtures.ts';

for (const platform of ['android', 'ios'] as const) {
  test.describe(`in a webview on ${platform}`, () => {
    test('sign-in, connect and disconnect go over the bridge; the session is kept in the app’s storage', async ({
      signInInApp,
      openInApp,
    }) => {
      const { app, page } = await signInInApp(platform);
      const [deviceId, token] = [app.storage.get('deviceId'), app.storage.get('token')];
      expect(token?.length).toBeGreaterThan(20);
      expect(
        await page.evaluate(() =>
          JSON.stringify([Object.entries(localStorage), Object.entries(sessionStorage)]),
        ),
      ).not.toContain(token);

      const connect = await connectTo(page);
      const address = `anyconnect://${names.gateway}:443`;
      expect(app.connects).toEqual([{ address, username: deviceId, password: token }]);
      await expect(connect.says('connect.protected')).toBeVisible();
      await connect.disconnect.click();
      await expect(connect.status('connect.disconnected')).toBeVisible();
      expect(app.state()).toEqual({ state: 'disconnected' });

      const next = await openInApp(platform, { app });
      await expect(new AccountRoute(next.page).heading).toBeVisible();
    });

    test('what the app does by itself is shown, with its reason', async ({ signInInApp }) => {
      const { app, page } = await signInInApp(platform);
      const connect = await connectTo(page);
      app.become({ state: 'disconnected', reason: 'session-ended' });
      await expect(connect.says('reason.sessionEnded')).toBeVisible();
    });

    test('signing out leaves the app neither token nor tunnel', async ({ signInInApp }) => {
      const { app, page } = await signInInApp(platform);
      await connectTo(page);
      await new Tabs(page).account.click();
      await new AccountRoute(page).signOut.click();
      await new LogoutRoute(page).confirm.click();
      await expect(new LoginRoute(page).heading).toBeVisible();
      await expect.poll(() => app.storage.has('deviceId')).toBe(true);
      // What the login page loads again is about nobody.
      const kept = [...app.storage.keys()].filter((key) => !/^(translations:|basicInfo$)/.test(key));
      expect(kept).toEqual(['deviceId']);
      expect(app.state()).toEqual({ state: 'disconnected' });
    });

    test('mini-apps open over the bridge by their type; browser links leave the app', async ({
      signInInApp,
      serviceHere,
    }) => {
      const { app, page } = await signInInApp(platform);
      await new Tabs(page).miniApps.click();
      const miniApps = new MiniAppsRoute(page);
      await expect(miniApps.empty).toBeVisible();

      const links = {
        browser: 'https://news.example/',
        webkit: 'https://wiki.example/',
        native: 'https://chat.example/',
      };
      await createApps(serviceHere, app, links);
      await page.reload();
      for (const name of Object.keys(links)) await miniApps.tile(`The ${name} app`).click();
      await expect
        .poll(() => app.opened)
        .toEqual(Object.entries(links).map(([type, link]) => `${type} ${link}`));
      await expect(miniApps.openFailed).toBeHidden();
    });
  });
}

async function createApps(
  service: TestService,
  app: WebviewApp,
  links: Record<string, string>,
): Promise<void> {
  const client = createApiClient({
    baseUrl: service.consoleUrl,
    fetch: (url, request) => fetch(url, request),
    deviceName: 'Test',
    session: () => ({ deviceId: app.storage.get('deviceId') ?? '', token: app.storage.get('token') }),
    endSession: async () => undefined,
  });
  for (const type of ['browser', 'webkit', 'native'] as const) {
    const body = {
      name: `The ${type} app`,
      type,
      link: links[type] ?? '',
      icon: '',
      priority: 5,
      requireLabels: [],
    };
    must(await client.call('createApp', { body }));
  }
}

for (const dark of [false, true]) {
  test(`mini-apps, routing and conformance pass axe, in ${dark ? 'dark' : 'light'}`, async ({
    signInInApp,
    serviceHere,
  }) => {
    const { app, page } = await signInInApp('android', { dark });
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await createApps(serviceHere, app, {
      browser: 'https://news.example/',
      webkit: 'https://wiki.example/',
      native: 'https://chat.example/',
    });
    await new Tabs(page).miniApps.click();
    await expect(new MiniAppsRoute(page).tiles).toHaveCount(3);
    await expectNoViolations(page, 'mini-apps');
    await new Tabs(page).connect.click();
    await expect(new ConnectRoute(page).global).toBeChecked();
    await expectNoViolations(page, 'connect');
    const conformance = new ConformanceRoute(page);
    await conformance.open();
    await expect(conformance.summary).toBeVisible({ timeout: 60_000 });
    await expectNoViolations(page, 'conformance');
  });
}

test('spec §2: /mini-apps and /vpn redirect to / outside the apps', async ({
  browserHere,
  serviceHere,
  email,
}) => {
  const page = await browserHere.newPage();
  await page.goto(serviceHere.consoleUrl);
  await signIn(page, serviceHere, email);
  for (const route of [new MiniAppsRoute(page), new ConnectRoute(page)]) {
    await route.open();
    await expect(new AccountRoute(page).heading).toBeVisible();
    await expect(page).toHaveURL(/\/dashboard$/);
  }
  await page.close();
});
