import type { Locator, Page } from 'playwright/test';
import { AccountRoute } from '../routes/account-route.ts';
import { ConnectRoute } from '../routes/connect-route.ts';
import { LoginRoute } from '../routes/login-route.ts';
import { LogoutRoute } from '../routes/logout-route.ts';
import { MiniAppsRoute } from '../routes/mini-apps-route.ts';
import { PayOrderRoute } from '../routes/pay-order-route.ts';
import { PurchaseRoute } from '../routes/purchase-route.ts';
import { QuickStartRoute } from '../routes/quick-start-route.ts';
import { RedeemRoute } from '../routes/redeem-route.ts';
import { Tabs } from '../routes/tabs.ts';
import { names } from '../../lab/network/addresses.ts';
import { signInByApi } from '../support/service/api-user.ts';
import { expectNoViolations } from '../support/screens/axe.ts';
import { openPayment } from '../support/service/place-order.ts';
import { connectTo, openConnectTab } from '../support/tunnel/connect.ts';
import { serverNames, type TestService } from '../support/service/service.ts';
import { arriveSignedIn, openSignedIn, signIn } from '../support/tunnel/sign-in.ts';
import { createApps } from './create-apps.ts';
import { createWebviewApp, type Platform } from './webview-app.ts';
import { expect } from './webview-fixtures.ts';
import { keepPagesHere } from './kept-pages.ts';
import { casesOf } from '../../lab/runs/thoroughness.ts';

const test = keepPagesHere();

/**
 * Of a platform's own is only how messages go between the page and its app, which the first test and the
 * conformance page prove of each: what goes over it is the same code for both.
 */
const inFull = casesOf<Platform>({ usual: ['android'], all: ['android', 'ios'] });

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
      const login = { username: deviceId, password: expect.not.stringContaining(token ?? '') };
      expect(app.connects).toEqual([{ address, login }]);
      await expect(connect.says('connect.protected')).toBeVisible();
      expect(app.allowedUntil()).toEqual({ at: expect.any(Number), reason: 'trial-ended' });
      await page.reload();
      await expect(connect.status('connect.connected')).toBeVisible();
      await expect(connect.chosen(serverNames.first)).toBeVisible();
      await connect.disconnect.click();
      await expect(connect.status('connect.disconnected')).toBeVisible();
      expect(app.state()).toEqual({ state: 'disconnected' });

      const next = await openInApp(platform, { app });
      await expect(new AccountRoute(next.page).heading).toBeVisible();
    });

    if (!inFull.includes(platform)) return;

    test("spec §4: VPN status is re-synced every 5 s, and so what the app did not tell is shown; spec §8: 'connection failed': what it tells, with its reason", async ({
      signInInApp,
    }) => {
      const { app, page } = await signInInApp(platform);
      const connect = await connectTo(page);
      const { emit } = app;
      app.emit = () => undefined;
      app.become({ state: 'disconnected' });
      await expect(connect.status('connect.disconnected')).toBeVisible();
      app.emit = emit;
      app.become({ state: 'disconnected', reason: 'session-ended' });
      await expect(connect.says('connect.failed')).toBeVisible();
      await expect(connect.says('reason.sessionEnded')).toBeVisible();
    });

    test('spec §2: /purchase, /quick-start and /pay/order redirect the browser of the system, to which the app hands them', async ({
      openInApp,
      browserHere,
      serviceHere,
      email,
    }) => {
      const { app, page } = await openInApp(platform);
      await expect(new LoginRoute(page).heading).toBeVisible();
      const store = `browser ${serviceHere.consoleUrl}/store`;
      const quickStart = new QuickStartRoute(page);
      await quickStart.open();
      await expect(quickStart.outside).toBeVisible();
      await expect.poll(() => app.opened.splice(0)).toEqual([`${store}/quick-start`]);

      await new LoginRoute(page).open();
      await signIn(page, serviceHere, email);
      const purchase = new PurchaseRoute(page);
      for (const route of [purchase, quickStart]) {
        await route.open();
        await expect(purchase.heading).toBeVisible();
        await expect(purchase.outside).toBeVisible();
        const link = expect.stringContaining(`${store}/purchase#hand-over=`);
        await expect.poll(() => app.opened.splice(0)).toEqual([link]);
      }

      const browser = await openSignedIn(browserHere, serviceHere, email);
      const order = new PayOrderRoute(page);
      await order.open(`?orderId=${await openPayment(browser, serviceHere, email)}`);
      await expect(order.outside).toBeVisible();
      await expect.poll(() => app.opened).toEqual([`browser ${browser.url()}`]);
    });

    test('spec §2: /device-login: silent device login: the token goes to the app’s storage, not into the page', async ({
      openInApp,
      serviceHere,
      email,
    }) => {
      const { deviceId, token } = await signInByApi(serviceHere, email);
      const query = new URLSearchParams({ deviceId, token, next: '/x', inApp: '1' });
      const { app, page } = await openInApp(platform, {
        url: `${serviceHere.consoleUrl}/device-login?${query}`,
      });
      await expect(new RedeemRoute(page).heading).toBeVisible();
      await expect(page).toHaveURL(`${serviceHere.consoleUrl}/x`);
      expect(Object.fromEntries(app.storage)).toMatchObject({ deviceId, token, inApp: '1' });
      const kept = await page.evaluate(() =>
        JSON.stringify([Object.entries(localStorage), Object.entries(sessionStorage)]),
      );
      expect(kept).not.toContain(token);
      await new Tabs(page).account.click();
      await expect(page.getByText(email)).toBeVisible();
    });

    test('spec §2: /logout: logout confirmation; then the app has neither token nor tunnel', async ({
      signInInApp,
    }) => {
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

    test('spec §3: mini-apps of type browser, webkit and native are opened over the bridge', async ({
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

test('spec §4: a group is usable if not expired, on trial, or still loading; spec §6: server access requires a non-expired service or a trial', async ({
  openInApp,
  serviceHere,
  email,
}) => {
  const { app, page } = await openInApp('android');
  const group = (id: string, change: { isTrial: boolean; trialExpiredAt: string | null }) => ({
    id,
    name: id,
    ...change,
    items: [
      { id, level: 1, servers: [{ serverId: id, name: `Server of ${id}`, domain: `${id}.example.com` }] },
    ],
  });
  const day = 24 * 3_600_000;
  const at = (days: number) => new Date(Date.now() + days * day).toISOString();
  const items = [
    group('plan', { isTrial: false, trialExpiredAt: null }),
    group('trial', { isTrial: true, trialExpiredAt: at(1) }),
    group('past', { isTrial: true, trialExpiredAt: at(-1) }),
  ];
  const reply = (data: unknown) => ({ json: { code: 0, msg: '', data } });
  await page.route('**/api/server-groups', (route) => route.fulfill(reply({ items })));
  const answer = Promise.withResolvers<string>();
  await page.route('**/api/my-service', async (route) =>
    route.fulfill(reply({ serviceId: 'plan', expiredAt: await answer.promise, seats: 1, service: 'Family' })),
  );
  await signIn(page, serviceHere, email);
  const connect = await openConnectTab(page);
  await connect.openServers();
  const ofPlan = connect.server('Server of plan');
  const ofTrial = connect.server('Server of trial');
  const ofPast = connect.server('Server of past');
  for (const server of [ofPlan, ofTrial, ofPast]) await expect(server).toBeEnabled();
  answer.resolve(at(-1));
  await expect(ofPlan).toBeDisabled();
  await expect(ofPast).toBeDisabled();
  await expect(ofTrial).toBeEnabled();

  // A service that was renewed: asked for again when what is kept of it is dropped.
  app.storage.delete('myService');
  await page.unroute('**/api/my-service');
  await page.route('**/api/my-service', (route) =>
    route.fulfill(reply({ serviceId: 'plan', expiredAt: at(1), seats: 1, service: 'Family' })),
  );
  await page.reload();
  await connect.openServers();
  for (const server of [ofPlan, ofTrial, ofPast]) await expect(server).toBeEnabled();
});

test('the fastest server is taken at first and on demand, where the app can measure; favourites and recents come back', async ({
  openInApp,
  serviceHere,
  email,
}) => {
  const app = createWebviewApp('android');
  app.latencies?.set('slow.example.net', 180).set('fast.example.net', 15);
  const { page } = await openInApp('android', { app });
  const servers = ['slow', 'fast', 'middle'].map((name) => ({
    serverId: name,
    name: `Server ${name}`,
    domain: `${name}.example.net`,
  }));
  const items = [
    {
      id: 'all',
      name: 'All',
      isTrial: true,
      trialExpiredAt: null,
      items: [{ id: 'item', level: 1, servers }],
    },
  ];
  await page.route('**/api/server-groups', (route) =>
    route.fulfill({ json: { code: 0, msg: '', data: { items } } }),
  );
  await arriveSignedIn(page, serviceHere, email);
  const connect = await openConnectTab(page);
  await expect(connect.chosen('Server fast')).toBeVisible();
  expect(new Set(app.measured).size).toBe(3);
  await connect.addFavourite.click();
  await connect.choose('Server slow');
  await connect.connect.click();
  await expect(connect.status('connect.connected')).toBeVisible();
  await connect.disconnect.click();
  await expect(connect.status('connect.disconnected')).toBeVisible();
  app.latencies?.set('fast.example.net', 300);
  await page.reload();
  await connect.openServers();
  await expect(connect.favourites).toBeVisible();
  await expect(connect.options).toHaveCount(5);
  await connect.fastest.click();
  await expect(connect.chosen('Server middle')).toBeVisible();

  // It stays where it is already the fastest, and where the tunnel is in the way of what could be faster.
  await connect.connect.click();
  await expect(connect.status('connect.connected')).toBeVisible();
  const connects = app.connects.length;
  await connect.openServers();
  await connect.fastest.click();
  await expect(connect.says('servers.fastestInUse')).toBeVisible();
  await expect(connect.search).toBeHidden();
  await page.reload();
  await connect.openServers();
  await connect.fastest.click();
  await expect(connect.says('servers.fastestUnknown')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(connect.chosen('Server middle')).toBeVisible();
  expect(app.connects).toHaveLength(connects);

  // The same app before it knew how.
  app.latencies = undefined;
  app.measured.length = 0;
  await page.reload();
  await connect.openServers();
  await expect(connect.favourites).toBeVisible();
  await expect(connect.fastest).toHaveCount(0);
  await expect(connect.measure).toHaveCount(0);
  expect(app.measured).toEqual([]);
});

test('spec §2: /mini-apps and /vpn: native apps only; otherwise redirect to /', async ({
  signedInConsole: page,
}) => {
  for (const route of [new MiniAppsRoute(page), new ConnectRoute(page)]) {
    await route.open();
    await expect(new AccountRoute(page).heading).toBeVisible();
    await expect(page).toHaveURL(/\/dashboard$/);
  }
  await page.close();
});

test.describe('without a plan', () => {
  const group = {
    id: 'all',
    name: 'All',
    isTrial: false,
    trialExpiredAt: null,
    items: [{ id: 'item', level: 1, servers: [{ serverId: 'one', name: 'One', domain: 'one.example.com' }] }],
  };
  const reply = (data: unknown) => ({ json: { code: 0, msg: '', data } });
  const plan = (expiredAt: string | null) =>
    reply({ serviceId: 'plan', expiredAt, seats: 1, service: 'Family' });
  const soon = () => new Date(Date.now() + 3_600_000).toISOString();

  /** The connect tab, and what makes the plan arrive, as somebody gets it in another window. */
  async function openWithoutPlan(page: Page, service: TestService, email: string) {
    await page.route('**/api/server-groups', (route) => route.fulfill(reply({ items: [group] })));
    await page.route('**/api/my-service', (route) => route.fulfill(plan(null)));
    await signIn(page, service, email);
    const connect = await openConnectTab(page);
    return {
      connect,
      becomes: async (expiredAt: string | null, sees: Locator) => {
        await page.unroute('**/api/my-service');
        await page.route('**/api/my-service', (route) => route.fulfill(plan(expiredAt)));
        // Who comes back is asked for again, but not more often than every few seconds.
        await expect(async () => {
          for (const event of ['blur', 'focus'])
            await page.evaluate((name) => void dispatchEvent(new Event(name)), event);
          await expect(sees).toBeVisible({ timeout: 500 });
        }).toPass();
      },
    };
  }

  test('the way to one is the one main action, in the place of Connect, and the focus stays there', async ({
    openInApp,
    serviceHere,
    email,
  }) => {
    const { app, page } = await openInApp('android');
    const { connect, becomes } = await openWithoutPlan(page, serviceHere, email);
    await expect(connect.choosePlan).toHaveCount(1);
    await expect(connect.choosePlan).toHaveAttribute('href', '/purchase');
    await expect(connect.connect).toHaveCount(0);
    await expect(connect.says('connect.needsPlan')).toBeVisible();
    // Nor when there was one that ended.
    app.become({ state: 'disconnected', reason: 'plan-ended' });
    await expect(connect.says('connect.planEnded')).toBeVisible();
    await expect(connect.choosePlan).toHaveCount(1);
    await connect.choosePlan.focus();
    await becomes(soon(), connect.connect);
    await expect(connect.connect).toBeFocused();
    await expect(connect.choosePlan).toHaveCount(0);
    await becomes(null, connect.choosePlan);
    await expect(connect.choosePlan).toBeFocused();
    await expectNoViolations(page, 'connect-without-plan');
  });
});

test("spec §8: 'no server selected' cannot come about: without a list, or with an empty one, there is no Connect, and the list is asked for again", async ({
  openInApp,
  serviceHere,
  email,
}) => {
  const { app, page } = await openInApp('android');
  const calls = '**/api/server-groups';
  const answer = Promise.withResolvers<void>();
  await page.route(calls, async (route) => {
    await answer.promise;
    await route.abort();
  });
  await signIn(page, serviceHere, email);
  await new Tabs(page).connect.click();
  const connect = new ConnectRoute(page);
  await expect(connect.connect, 'before it is known').toBeDisabled();
  answer.resolve();
  await expect(connect.serversFailed).toBeVisible();
  await expect(connect.connect, 'without a list').toHaveCount(0);

  await page.unroute(calls);
  await page.route(calls, (route) => route.fulfill({ json: { code: 0, msg: '', data: { items: [] } } }));
  await connect.retry.click();
  await expect(connect.choosePlan, 'what is missing is a plan').toBeVisible();
  await expect(connect.connect, 'with an empty one').toHaveCount(0);
  await page.route('**/api/my-service', async (route) => {
    const expiredAt = new Date(Date.now() + 86_400_000).toISOString();
    const data = { serviceId: 'plan', expiredAt, seats: 1, service: 'Family' };
    await route.fulfill({ json: { code: 0, msg: '', data } });
  });
  app.storage.delete('myService');
  await page.reload();
  await expect(connect.says('connect.noServers')).toBeVisible();
  await expect(connect.connect, 'with a plan and an empty one').toHaveCount(0);

  await page.unroute(calls);
  await new AccountRoute(page).refresh.click();
  await expect(connect.chosen(serverNames.first)).toBeVisible();
  await expect(connect.connect).toBeEnabled();
});
