import { AccountRoute } from '../routes/account/account-route.ts';
import { ConnectRoute } from '../routes/connect/connect-route.ts';
import { LoginRoute } from '../routes/account/login-route.ts';
import { LogoutRoute } from '../routes/account/logout-route.ts';
import { MiniAppsRoute } from '../routes/desktop/mini-apps-route.ts';
import { PayOrderRoute } from '../routes/store/pay-order-route.ts';
import { PurchaseRoute } from '../routes/store/purchase-route.ts';
import { QuickStartRoute } from '../routes/store/quick-start-route.ts';
import { RedeemRoute } from '../routes/account/redeem-route.ts';
import { VerifyRoute } from '../routes/account/verify-route.ts';
import { Tabs } from '../routes/frame/tabs.ts';
import { names } from '../../lab/network/addresses.ts';
import { expectSaid } from '../support/service/announcements.ts';
import { signInByApi } from '../support/service/api-user.ts';
import { openPayment } from '../support/service/place-order.ts';
import { texts } from '../support/screens/texts.ts';
import { chooseServer, connectTo } from '../support/tunnel/connect.ts';
import { serverNames } from '../support/service/service.ts';
import { openSignedIn, signIn } from '../support/tunnel/sign-in.ts';
import { createMiniApps } from './create-mini-apps.ts';
import { type Platform } from './webview-app.ts';
import { expect } from './webview-fixtures.ts';
import { keepPagesHere } from './kept-pages.ts';
import { casesOf, isExhaustive } from '../../lab/runs/thoroughness.ts';

const test = keepPagesHere();

/**
 * Of a platform's own is only how messages go between the page and its app, which webview-routing.spec.ts shows of
 * iOS: what goes over it is the same code for both.
 */
const platforms = casesOf<Platform>({ usual: ['android'], all: ['android', 'ios'] });

for (const platform of platforms) {
  test.describe(`in a webview on ${platform}`, () => {
    test('sign-in, connect, disconnect and mini-apps go over the bridge', async ({
      signInInApp,
      serviceHere,
    }) => {
      const { app, page } = await signInInApp(platform);
      const [deviceId, token] = [app.storage.get('deviceId'), app.storage.get('token')];
      await test.step('the session is kept in the app’s storage', async () => {
        expect(token?.length).toBeGreaterThan(20);
        expect(
          await page.evaluate(() =>
            JSON.stringify([Object.entries(localStorage), Object.entries(sessionStorage)]),
          ),
        ).not.toContain(token);
      });

      const connect = await connectTo(page);
      await test.step('connect goes over the bridge, and the tunnel outlives the page', async () => {
        const address = `anyconnect://${names.gateway}:443`;
        const login = { username: deviceId, password: expect.not.stringContaining(token ?? '') };
        expect(app.connects).toEqual([{ address, login }]);
        await expect(connect.says('connect.protected')).toBeVisible();
        expect(app.allowedUntil()).toEqual({ at: expect.any(Number), reason: 'trial-ended' });
        await page.reload();
        await expect(connect.status('connect.connected')).toBeVisible();
        await expect(connect.chosen(serverNames.first)).toBeVisible();
      });

      await test.step('an address is copied as it is, and that is said to screen readers', async () => {
        // Chromium without a window asks nobody, and refuses.
        await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
        await connect.openDetails();
        const ipv4 = '198.51.100.7';
        const copy = connect.copyOf(/IPv4/);
        await expect(copy).toHaveAccessibleName(`${texts.en['connect.copy']} ${ipv4}`);
        await expectSaid(page, texts.en['connect.copied'], () => copy.click());
        await connect.openServers();
        await connect.search.press('ControlOrMeta+V');
        await expect(connect.search).toHaveValue(ipv4);
        // In a search field with text, the browser's own Escape clears it.
        await connect.search.fill('');
        await page.keyboard.press('Escape');
        await expect(connect.search).toBeHidden();
      });

      await test.step('spec §4: VPN status is re-synced every 5 s, and so what the app did not tell is shown', async () => {
        const { emit } = app;
        app.emit = () => undefined;
        app.become({ state: 'disconnected' });
        await expect(connect.status('connect.disconnected')).toBeVisible();
        app.emit = emit;
      });
      await test.step("spec §8: 'connection failed': what it tells, with its reason", async () => {
        app.become({ state: 'disconnected', reason: 'session-ended' });
        await expect(connect.says('connect.failed')).toBeVisible();
        await expect(connect.says('reason.sessionEnded')).toBeVisible();
      });
      await test.step('disconnect goes over the bridge', async () => {
        await connect.connect.click();
        await expect(connect.status('connect.connected')).toBeVisible();
        await connect.disconnect.click();
        await expect(connect.status('connect.disconnected')).toBeVisible();
        expect(app.state()).toEqual({ state: 'disconnected' });
      });

      await test.step('spec §3: mini-apps of type browser, webkit and native are opened over the bridge', async () => {
        const links = {
          browser: 'https://news.example/',
          webkit: 'https://wiki.example/',
          native: 'https://chat.example/',
        };
        await createMiniApps(serviceHere, app, links);
        await page.goto(`${serviceHere.consoleUrl}/`);
        await expect(new AccountRoute(page).heading).toBeVisible();
        await new Tabs(page).miniApps.click();
        const miniApps = new MiniAppsRoute(page);
        for (const name of Object.keys(links)) await miniApps.tile(`The ${name} app`).click();
        await expect
          .poll(() => app.opened)
          .toEqual(Object.entries(links).map(([type, link]) => `${type} ${link}`));
        await expect(miniApps.openFailed).toBeHidden();
      });
    });

    if (isExhaustive)
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

    if (isExhaustive)
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

    if (isExhaustive)
      test('spec §2: /logout: logout confirmation, after which the app has neither token nor tunnel', async ({
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
        const kept = () => [...app.storage.keys()].filter((key) => !/^(translations:|basicInfo$)/.test(key));
        await expect.poll(kept).toEqual(['deviceId']);
        await expect.poll(() => app.state()).toEqual({ state: 'disconnected' });
      });
  });
}

test('whoever is asked to sign in again stays signed in until the code is right, and keeps everything', async ({
  signInInApp,
  serviceHere,
  email,
}) => {
  const { app, page } = await signInInApp('android');
  const connect = await chooseServer(page);
  await connect.addFavourite.click();
  await expect.poll(() => app.storage.has('keptServers')).toBe(true);
  const of = (key: string) => app.storage.get(key);
  const [token, kept] = [of('token'), of('keptServers')];
  const codesBefore = await serviceHere.mailbox.countCodes(email);
  app.become({ state: 'disconnected', reason: 'sign-in-refused' });
  const verify = new VerifyRoute(page);

  await test.step('another address is for whoever signs out', async () => {
    await connect.signInAgain.click();
    await verify.changeEmail.click();
    await expect(new LogoutRoute(page).heading).toBeVisible();
    await page.goBack();
    await expect(verify.heading).toBeVisible();
  });
  await test.step('a change of mind loses nothing, and no further code is mailed', async () => {
    await page.goBack();
    await connect.signInAgain.click();
    await expect(verify.heading).toBeVisible();
    await expect.poll(() => serviceHere.mailbox.countCodes(email)).toBe(codesBefore + 1);
  });
  await test.step('a wrong code loses nothing, nor does a network that fails', async () => {
    const code = await serviceHere.mailbox.code(email, codesBefore);
    await verify.type(code === '000000' ? '111111' : '000000');
    await expect(verify.incorrect).toBeVisible();
    await page.route('**/api/auth', (route) => route.abort(), { times: 1 });
    await expectSaid(page, texts.en['error.verification'], () => verify.type(code));
    expect(of('token')).toBe(token);
  });
  await expectSaid(page, texts.en['verify.success'], () => verify.verifyButton.click());
  await expect(connect.status('connect.disconnected')).toBeVisible();
  await expect(connect.signInAgain).toBeHidden();
  expect(of('token')).not.toBe(token);
  expect(of('keptServers')).toBe(kept);
});

if (isExhaustive)
  test("spec §8: 'no server selected' cannot come about, since there is no Connect without a list of servers", async ({
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
