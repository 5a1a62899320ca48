import type { TunnelState } from '#shared/tunnel/state.ts';
import { names } from '../../lab/network/addresses.ts';
import { expect } from '../fixtures.ts';
import { keepPagesHere } from '../webview/kept-pages.ts';
import { createWebviewApp } from '../webview/webview-app.ts';
import { LoginRoute } from '../routes/account/login-route.ts';
import { RedeemRoute } from '../routes/account/redeem-route.ts';
import { WebFrame } from '../routes/frame/web-frame.ts';
import { pauseClock, tickUntil } from '../support/host/tick-until.ts';
import { setVisibility } from '../support/host/visibility.ts';
import { listenForAnnouncements } from '../support/service/announcements.ts';
import { tabTo } from '../support/screens/keyboard.ts';
import { texts } from '../support/screens/texts.ts';
import { openConnectTab } from '../support/tunnel/connect.ts';

const test = keepPagesHere();

test('a toast is closed by keyboard, and the focus is where it was, or at the heading if that is gone', async ({
  signedInConsole: page,
}) => {
  const redeem = new RedeemRoute(page);
  await page.clock.install();
  await redeem.open();
  await expect(redeem.heading).toBeVisible();
  // A toast goes by itself, sooner than a busy machine comes to it.
  await pauseClock(page);
  await page.route('**/api/license-keys/**', (route) => route.abort());
  const last = new WebFrame(page).footerLink('section.privacy');
  const close = page.getByRole('button', { name: texts.en['shell.notificationClose'] });
  const reachToast = async () => {
    await redeem.redeem('ANY-KEY');
    await tickUntil(page, () => expect(redeem.failed).toBeVisible({ timeout: 1000 }));
    await tickUntil(page, () => expect(redeem.submit).toBeEnabled({ timeout: 1000 }));
    await tabTo(close);
    await page.keyboard.press('Shift+Tab');
    await expect(last).toBeFocused();
    await page.keyboard.press('Tab');
    await expect(close).toBeFocused();
  };
  await reachToast();
  // The pointer that comes and goes does not end what the focus holds.
  await redeem.failed.hover();
  await page.mouse.move(5, 700);
  await page.clock.runFor(4000);
  await expect(redeem.failed).toBeVisible();
  await expect(close).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(redeem.failed).toHaveCount(0);
  await expect(last).toBeFocused();

  await reachToast();
  await last.evaluate((element) => element.setAttribute('style', 'display: none'));
  await page.keyboard.press('Space');
  await expect(redeem.failed).toHaveCount(0);
  await expect(redeem.heading).toBeFocused();
});

test('a toast waits until the page is seen again', async ({ signedInConsole: page }) => {
  const redeem = new RedeemRoute(page);
  await page.clock.install();
  await redeem.open();
  await expect(redeem.heading).toBeVisible();
  await pauseClock(page);
  await page.route('**/api/license-keys/**', (route) => route.abort());
  await redeem.redeem('ANY-KEY');
  await tickUntil(page, () => expect(redeem.failed).toBeVisible({ timeout: 1000 }));
  await setVisibility(page, 'hidden');
  await page.clock.runFor(60_000);
  await expect(redeem.failed).toBeVisible();
  await setVisibility(page, 'visible');
  await page.clock.runFor(2500);
  await expect(redeem.failed).toBeVisible();
  await page.clock.runFor(1000);
  await expect(redeem.failed).toHaveCount(0);
});

test('measuring servers keeps the focus, is announced, and so is what failed, above the dialog', async ({
  signInInApp,
}) => {
  const app = createWebviewApp('android');
  let answers = true;
  let held = Promise.withResolvers<void>();
  held.resolve();
  Object.assign(app.handlers.servers, {
    latency: async () => {
      await held.promise;
      return { milliseconds: answers ? 20 : null, throughTunnel: false };
    },
  });
  const { page } = await signInInApp('android', { app });
  const connect = await openConnectTab(page);
  await connect.openServers();
  await expect(connect.measure).toBeEnabled();
  const announcements = await listenForAnnouncements(page);
  const measuring = page.getByRole('button', { name: texts.en['servers.measuring'] });
  const measure = async () => {
    held = Promise.withResolvers<void>();
    await page.keyboard.press('Enter');
    await expect(measuring).toBeFocused();
    held.resolve();
    await expect(connect.measure).toBeFocused();
  };
  const said: string[] = [];
  const all = async () => {
    said.push(...(await announcements()));
    return said;
  };
  await tabTo(connect.measure);
  await measure();
  const done = [texts.en['servers.measuring'], texts.en['servers.measured']];
  await expect.poll(all).toEqual(done);

  answers = false;
  await page.clock.install();
  await pauseClock(page);
  await measure();
  await expect.poll(all).toEqual([...done, texts.en['servers.measuring'], texts.en['servers.noneAnswered']]);
  // What is outside of the dialog takes no click.
  await page.getByRole('button', { name: texts.en['shell.notificationClose'] }).click();
  await expect(connect.says('servers.noneAnswered')).toHaveCount(0);
  await expect(connect.search).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(connect.search).toBeHidden();
  await expect(connect.serverButton).toBeFocused();
});

test('what is wrong with a field is announced, also where the focus stays in it', async ({
  openedConsole: page,
}) => {
  const login = new LoginRoute(page);
  await expect(login.email).toBeFocused();
  const announcements = await listenForAnnouncements(page);
  await page.keyboard.type('nobody at example');
  expect(await announcements()).toEqual([]);
  await page.keyboard.press('Enter');
  await expect(login.emailInvalid).toBeVisible();
  expect(await announcements()).toEqual([texts.en['login.emailInvalid']]);
  await expect(login.email).toBeFocused();
});

test('a form that lacks something says so', async ({ signedInConsole: page }) => {
  const redeem = new RedeemRoute(page);
  await redeem.open();
  await expect(redeem.key).toBeFocused();
  const announcements = await listenForAnnouncements(page);
  await page.keyboard.press('Enter');
  await expect(redeem.required).toBeVisible();
  expect(await announcements()).toEqual([texts.en['redeem.required']]);
});

test('what is new of a connection that is made again and again is announced, and each attempt is not', async ({
  signInInApp,
}) => {
  const { app, page } = await signInInApp('android');
  const connect = await openConnectTab(page);
  const gateway = { host: names.gateway, port: 443 };
  const connected: TunnelState = {
    state: 'connected',
    gateway,
    since: Date.now(),
    addresses: { ipv4: '198.51.100.7' },
    transport: 'dtls',
    routing: { mode: 'global', localNetwork: true },
  };
  app.become(connected);
  await expect(connect.status('connect.connected')).toBeVisible();
  const announcements = await listenForAnnouncements(page);
  for (let attempt = 2; attempt < 5; attempt += 1) {
    for (const phase of ['waiting', 'resolving', 'authenticating'] as const) {
      app.become({ state: 'connecting', gateway, attempt, phase });
      await expect(page.getByText(`attempt ${attempt}`)).toBeVisible();
    }
  }
  const said = await announcements();
  expect(said).toHaveLength(1);
  expect(said[0]).toContain(texts.en['connect.reconnecting']);
  app.become({ ...connected, terms: { endsAt: Date.now() + 4 * 60_000 } });
  await expect(connect.says('connect.sessionEndsSoon')).toBeVisible();
  await expect
    .poll(async () => said.push(...(await announcements())) && said)
    .toContainEqual(expect.stringMatching(connect.words('connect.sessionEndsSoon')));
});
