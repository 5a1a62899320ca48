import { expect, test } from './webview-fixtures.ts';
import type { Locator, Page } from 'playwright/test';
import { createMiniApps } from './create-mini-apps.ts';
import { ConformanceRoute } from '../routes/webview/conformance-route.ts';
import { ConnectRoute } from '../routes/connect/connect-route.ts';
import { LoginRoute } from '../routes/account/login-route.ts';
import { LogoutRoute } from '../routes/account/logout-route.ts';
import { MiniAppsRoute } from '../routes/desktop/mini-apps-route.ts';
import { Tabs } from '../routes/frame/tabs.ts';
import { expectNoViolations } from '../support/screens/axe.ts';
import { connectTo, openConnectTab } from '../support/tunnel/connect.ts';
import { type TestService } from '../support/service/service.ts';
import { openSettings } from '../support/screens/open-settings.ts';
import { arriveSignedIn, signIn } from '../support/tunnel/sign-in.ts';
import { waitLimit } from '../../lab/runs/wait-limit.ts';
import { AccountRoute } from '../routes/account/account-route.ts';
import { createWebviewApp } from './webview-app.ts';
import { setVisibility } from '../support/host/visibility.ts';
import { offerServers } from '../support/service/offer-servers.ts';

// One of the last files of a run, and long: every worker takes of it.
test.describe.configure({ mode: 'parallel' });

test('mini-apps, routing and conformance pass axe, in light and dark', async ({
  signInInApp,
  serviceHere,
}) => {
  const { app, page } = await signInInApp('android');
  await page.emulateMedia({ reducedMotion: 'reduce' });
  const expectSound = async (where: string) => {
    await expectNoViolations(page, where);
    await page.emulateMedia({ colorScheme: 'dark' });
    await expectNoViolations(page, `${where}, dark`, { only: ['color-contrast'] });
    await page.emulateMedia({ colorScheme: 'light' });
  };
  await createMiniApps(serviceHere, app, {
    browser: 'https://news.example/',
    webkit: 'https://wiki.example/',
    native: 'https://chat.example/',
  });
  await new Tabs(page).miniApps.click();
  await expect(new MiniAppsRoute(page).tiles).toHaveCount(3);
  await expectSound('mini-apps');
  await new Tabs(page).connect.click();
  await expect(new ConnectRoute(page).protection).toBeVisible();
  await expectSound('connect');
  await expect((await openSettings(page)).global).toBeChecked();
  await expectSound('settings');
  const conformance = new ConformanceRoute(page);
  await conformance.open();
  await expect(conformance.summary).toBeVisible({ timeout: waitLimit(60_000) });
  await expectSound('conformance');
});

test('three sentences for who is new stand below Connect, and are gone once read, or once connected', async ({
  signInInApp,
  serviceHere,
  email,
}) => {
  const { page } = await signInInApp('ios');
  const connect = await openConnectTab(page);
  await expect(connect.welcome.getByRole('listitem')).toHaveCount(3);
  const [button, welcome] = [await connect.connect.boundingBox(), await connect.welcome.boundingBox()];
  expect(welcome?.y).toBeGreaterThan(button?.y ?? Infinity);
  await connect.welcomeRead.click();
  await expect(connect.welcome).toHaveCount(0);
  await expect(connect.heading).toBeFocused();
  await page.reload();
  await expect(connect.connect).toBeEnabled();
  await expect(connect.welcome).toHaveCount(0);

  // Who comes back is not new here, nor is the next one.
  await new LogoutRoute(page).open();
  await new LogoutRoute(page).confirm.click();
  await expect(new LoginRoute(page).heading).toBeVisible();
  await arriveSignedIn(page, serviceHere, email);
  await openConnectTab(page);
  await expect(connect.connect).toBeEnabled();
  await expect(connect.welcome).toHaveCount(0);

  // Somebody clears what the device knows.
  await page.evaluate(() => localStorage.clear());
  await page.reload();
  await expect(connect.welcome).toBeVisible();
  await connect.connect.click();
  await expect(connect.status('connect.connected')).toBeVisible();
  await expect(connect.welcome).toHaveCount(0);
  await connect.disconnect.click();
  await expect(connect.connect).toBeEnabled();
  await expect(connect.welcome).toHaveCount(0);
  await page.reload();
  await expect(connect.connect).toBeEnabled();
  await expect(connect.welcome).toHaveCount(0);
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

  test('members are told who pays, and get no way to the shop', async ({ openInApp, serviceHere, email }) => {
    const { page } = await openInApp('android');
    const profile = { level: 3, firstOrderDone: false, seatsUsed: 1, payer: 'payer@example.com' };
    await page.route('**/api/user-info', (route) => route.fulfill(reply({ email, profile })));
    const { connect, becomes } = await openWithoutPlan(page, serviceHere, email);
    const whoPays = page.getByText('payer@example.com pays for your plan');
    await expect(whoPays).toBeVisible();
    await expect(connect.connect).toHaveCount(0);
    await expect(connect.choosePlan).toHaveCount(0);
    await becomes(soon(), connect.connect);
    await connect.connect.focus();
    await becomes(null, whoPays);
    await expect(whoPays).toBeFocused();
    await expectNoViolations(page, 'connect-of-member');
  });

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

test('a page that nobody sees asks nothing and draws nothing while connected, and catches up when it is seen', async ({
  signInInApp,
}) => {
  const { app, page } = await signInInApp('android');
  await connectTo(page);
  await page.clock.install();
  await page.reload();
  const connect = new ConnectRoute(page);
  await expect(connect.status('connect.connected')).toBeVisible();
  await connect.openDetails();
  let asked = 0;
  page.on('request', () => (asked += 1));
  const { statistics, snapshot } = app.handlers.tunnel;
  Object.assign(app.handlers.tunnel, {
    statistics: () => ((asked += 1), statistics(undefined)),
    snapshot: () => ((asked += 1), snapshot(undefined)),
  });
  await page.evaluate(() => {
    const counted = globalThis as unknown as { drawn: number };
    counted.drawn = 0;
    const observer = new MutationObserver((changes) => (counted.drawn += changes.length));
    observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  });
  const drawn = () => page.evaluate(() => (globalThis as unknown as { drawn: number }).drawn);

  await setVisibility(page, 'hidden');
  // What was in progress may still end; what goes on and on would never stop to.
  let before: number[] = [];
  await expect(async () => {
    before = [asked, await drawn()];
    await page.clock.runFor(120_000);
    expect([asked, await drawn()]).toEqual(before);
  }).toPass();
  await setVisibility(page, 'visible');
  await page.clock.runFor(10_000);
  await expect.poll(() => asked, { message: 'positive control' }).toBeGreaterThan(before[0] ?? 0);
  await expect.poll(drawn, { message: 'positive control' }).toBeGreaterThan(before[1] ?? 0);
});

test('spec §4: a group is usable if not expired, on trial or still loading, and access needs that (spec §6)', async ({
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

test('the fastest server is taken at first and on demand, where the app can measure, and favourites come back', async ({
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
  await offerServers(page, servers);
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

test('spec §2: /mini-apps and /vpn are for native apps only, and redirect to / otherwise', async ({
  signedInConsole: page,
}) => {
  for (const route of [new MiniAppsRoute(page), new ConnectRoute(page)]) {
    await route.open();
    await expect(new AccountRoute(page).heading).toBeVisible();
    await expect(page).toHaveURL(/\/dashboard$/);
  }
  await page.close();
});

test('another server that is chosen while connecting, at once or after a while, is the one that is connected', async ({
  openInApp,
  serviceHere,
  email,
}) => {
  const { app, page } = await openInApp('android');
  const servers = ['192.0.2.1', '192.0.2.2', 'last.example.net'].map((domain, index) => ({
    serverId: `s${index}`,
    name: `Server ${index}`,
    domain,
  }));
  await offerServers(page, servers);
  await arriveSignedIn(page, serviceHere, email);
  const connect = await openConnectTab(page);
  await connect.choose('Server 0');
  await connect.connect.click();
  await connect.choose('Server 1');
  const addresses = () => app.connects.map(({ address }) => address);
  await expect.poll(addresses).toEqual(['anyconnect://192.0.2.1:443', 'anyconnect://192.0.2.2:443']);
  await expect(connect.status('connect.connecting')).toBeVisible();
  await connect.choose('Server 2');
  await expect(connect.status('connect.connected')).toBeVisible();
  expect(addresses().slice(2)).toEqual(['anyconnect://last.example.net:443']);
  // The one that it is changes nothing.
  await connect.choose('Server 2');
  await expect(connect.status('connect.connected')).toBeVisible();
  expect(addresses()).toHaveLength(3);
});
