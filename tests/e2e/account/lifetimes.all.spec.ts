import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright/test';
import { AccountRoute } from '../routes/account/account-route.ts';
import { LoginRoute } from '../routes/account/login-route.ts';
import { LogoutRoute } from '../routes/account/logout-route.ts';
import { PurchaseRoute } from '../routes/store/purchase-route.ts';
import { startHostileService } from '../support/service/hostile-service.ts';
import { arriveSignedIn, launchSignedIn, signIn } from '../support/tunnel/sign-in.ts';
import {
  expectAccount,
  expectAllKept,
  expectLifetimes,
  isKept,
  keptCalls,
  keysInPage,
} from '../support/service/kept-answers.ts';
import { pauseClock } from '../support/host/tick-until.ts';
import { texts } from '../support/screens/texts.ts';
import { expect, test } from '../webview/webview-fixtures.ts';
import { routed } from '../support/tunnel/route-lists.ts';
import { openSettings } from '../support/screens/open-settings.ts';
import { withoutEvents } from '../support/service/without-events.ts';
import { createWebviewApp } from '../webview/webview-app.ts';

const [hour, day] = [60 * 60, 24 * 60 * 60];

const routeLists = [
  {
    title: 'PAC 24 h',
    mode: 'pac',
    path: '/api/route/pac',
    seconds: 24 * hour,
    first: { mode: 'pac', pac: { routeDomains: routed.domains, blockedDomains: routed.blockedDomains } },
    changed: { routeDomains: ['later.example'], blockedDomains: [] },
    then: { mode: 'pac', pac: { routeDomains: ['later.example'], blockedDomains: [] } },
  },
  {
    title: 'IP list 30 days',
    mode: 'ip',
    path: '/api/v1/ipv4/cn',
    seconds: 30 * day,
    first: { mode: 'ip', routeIps: routed.prefixes },
    changed: { items: ['203.0.113.0/24'] },
    then: { mode: 'ip', routeIps: ['203.0.113.0/24'] },
  },
] as const;
test('spec §9: in the desktop as well, over restarts of the app, and dropped on sign-out', async ({
  launchHere,
  serviceHere,
  email,
  directory,
  keyring,
}) => {
  // The app's main process makes the calls: they are seen on their way to the service.
  await using between = await startHostileService(serviceHere.apiUrl, {});
  const env = { ...keyring.env, WAYMAKER_API_URL: between.apiUrl };
  const first = await launchSignedIn(launchHere, serviceHere, email, { env });
  /** The app's account page does without the links of basic info; its purchase page needs them. */
  const lookAt = async (page: Page) => {
    await new AccountRoute(page).open();
    await expectAccount(page, email);
    const purchase = new PurchaseRoute(page);
    await purchase.follow();
    await expect(purchase.outside).toBeVisible();
  };
  await lookAt(first.page);
  const kept = () => readFile(join(directory, 'app/page-storage.json'), 'utf8').catch(() => '{}');
  await expectAllKept(async () => Object.keys(JSON.parse(await kept()) as object));
  expect(await kept()).toContain('purchase_url');
  expect(new Set(between.asked().filter(isKept))).toEqual(new Set(keptCalls.map((call) => call.path)));
  await first.quit();

  const { page } = await launchHere({ env });
  await lookAt(page);
  expect(between.asked().filter(isKept)).toEqual([]);
  await page.clock.install();
  await expectLifetimes(
    page,
    () => lookAt(page),
    () => between.asked(),
  );

  expect(await kept(), 'positive control').toContain(email);
  await new LogoutRoute(page).open();
  await new LogoutRoute(page).confirm.click();
  await expect(new LoginRoute(page).heading).toBeVisible();
  await expect.poll(kept).not.toContain(email);
  await expect.poll(kept).not.toContain('expiredAt');
});

test('spec §4: a service is expired when expiredAt is before now, re-evaluated every minute', async ({
  openedConsole: page,
  serviceHere,
  email,
}) => {
  await withoutEvents(page.context());
  await page.clock.install();
  await page.reload();
  // Times are judged by the service's clock, which would not go along with the page's.
  await page.route('**/api/**', async (route) => {
    const response = await route.fetch();
    const { date, ...headers } = response.headers();
    expect(date).toBeDefined();
    await route.fulfill({ response, headers });
  });
  let expiredAt: string | undefined;
  await page.route('**/api/my-service', async (route) => {
    // The same however often it is asked for.
    expiredAt ??= new Date((await page.evaluate(() => Date.now())) + 30 * 60_000).toISOString();
    const data = { serviceId: 'plan-1', expiredAt, seats: 3, service: 'Family' };
    await route.fulfill({ json: { code: 0, msg: '', data } });
  });
  await arriveSignedIn(page, serviceHere, email);
  const plan = page.getByRole('region', { name: texts.en['account.plan'] });
  await expect(plan.getByText(texts.en['account.active'], { exact: true })).toBeVisible();
  await pauseClock(page);
  const left = Date.parse(expiredAt ?? '') - (await page.evaluate(() => Date.now()));
  await page.clock.fastForward(left - 90_000);
  await page.clock.runFor(61_000);
  await expect(plan.getByText(texts.en['account.active'], { exact: true })).toBeVisible();
  await page.clock.runFor(90_000);
  await expect(plan.getByText(texts.en['account.expired'], { exact: true })).toBeVisible();
});

test('spec §9: cached answers last as long as they should, over restarts, and are dropped on sign-out', async ({
  openedConsole: page,
  serviceHere,
  email,
}) => {
  await withoutEvents(page.context());
  await page.clock.install();
  await page.reload();
  await signIn(page, serviceHere, email);
  await expect(page.getByText(email)).toBeVisible();
  await expect(new AccountRoute(page).noPlan).toBeVisible();
  await expectAllKept(keysInPage(page));
  const made: string[] = [];
  page.on('request', (request) => made.push(new URL(request.url()).pathname));
  const look = async () => {
    await page.reload();
    await expectAccount(page, email);
  };
  await expectLifetimes(page, look, () => made.splice(0));
  await page.goto(`${serviceHere.consoleUrl}/logout`);
  await new LogoutRoute(page).confirm.click();
  await expect(new LoginRoute(page).heading).toBeVisible();
  await expect.poll(() => page.evaluate(() => localStorage.getItem('user'))).toBeNull();
  const left = await page.evaluate(() => JSON.stringify(localStorage));
  expect(left).not.toContain(email);
  expect(left).not.toContain('expiredAt');
});

for (const { title, mode, path, seconds, first, changed, then } of routeLists) {
  test(`spec §9: ${title}, over restarts, then fetched and routed by again, and dropped on sign-out`, async ({
    openInApp,
    serviceHere,
    email,
  }) => {
    const app = createWebviewApp('ios');
    app.routingModes = ['global', mode];
    const { page } = await openInApp('ios', { app });
    const opened = Date.now();
    await withoutEvents(page.context());
    const setAge = (age: number) => page.clock.setSystemTime(opened + age * 1000);
    await page.clock.install();
    await arriveSignedIn(page, serviceHere, email);
    const settings = await openSettings(page);
    let asked = 0;
    page.on('request', (request) => {
      if (new URL(request.url()).pathname === path) asked += 1;
    });
    await settings.automatic.check();
    await expect.poll(() => app.routing()).toEqual(first);
    expect(asked).toBe(1);
    await page.route(`**${path}`, (route) => route.fulfill({ json: { code: 0, msg: '', data: changed } }));

    // Nothing of a page outlives its being loaded again but what the app stores for it.
    await setAge(seconds - 600);
    await page.reload();
    await expect(settings.automatic).toBeChecked();
    await page.waitForLoadState('networkidle');
    expect(asked).toBe(1);
    expect(app.routing()).toEqual(first);

    await setAge(seconds + 600);
    await page.reload();
    await expect.poll(() => app.routing()).toEqual(then);
    expect(asked).toBe(2);

    const kept = () => [...app.storage.values()].filter((value) => value.includes(JSON.stringify(changed)));
    expect(kept()).toHaveLength(1);
    await new LogoutRoute(page).open();
    await new LogoutRoute(page).confirm.click();
    await expect(new LoginRoute(page).heading).toBeVisible();
    await expect.poll(kept).toEqual([]);
  });
}
