import { AccountRoute } from '../routes/account-route.ts';
import { LoginRoute } from '../routes/login-route.ts';
import { LogoutRoute } from '../routes/logout-route.ts';
import { routed } from '../support/tunnel/route-lists.ts';
import { arriveSignedIn, signIn } from '../support/tunnel/sign-in.ts';
import { openSettings } from '../support/screens/open-settings.ts';
import { expectAccount, expectLifetimes } from '../support/service/kept-answers.ts';
import { withoutEvents } from '../support/service/without-events.ts';
import { createWebviewApp } from '../webview/webview-app.ts';
import { expect, test } from '../webview/webview-fixtures.ts';

const [hour, day] = [60 * 60, 24 * 60 * 60];

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

for (const { title, mode, path, seconds, first, changed, then } of routeLists) {
  test(`spec §9: ${title}, over restarts, then fetched and routed by again; dropped on sign-out`, async ({
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
    expect(kept()).toEqual([]);
  });
}
