import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright/test';
import { AccountRoute } from '../routes/account-route.ts';
import { LoginRoute } from '../routes/login-route.ts';
import { LogoutRoute } from '../routes/logout-route.ts';
import { PurchaseRoute } from '../routes/purchase-route.ts';
import { startHostileService } from '../support/service/hostile-service.ts';
import { arriveSignedIn, launchSignedIn } from '../support/tunnel/sign-in.ts';
import { expectAccount, expectLifetimes, isKept, keptCalls } from '../support/service/kept-answers.ts';
import { texts } from '../support/screens/texts.ts';
import { expect, test } from '../webview/webview-fixtures.ts';

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
  const kept = () => readFile(join(directory, 'app/page-storage.json'), 'utf8');
  await expect.poll(kept).toContain('purchase_url');
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
  expect(await kept()).not.toContain('expiredAt');
});

test('spec §4: a service is expired when expiredAt is before now, re-evaluated every minute', async ({
  openedConsole: page,
  serviceHere,
  email,
}) => {
  await page.clock.install();
  let expiredAt: string | undefined;
  await page.route('**/api/my-service', async (route) => {
    // The same however often it is asked for.
    expiredAt ??= new Date((await page.evaluate(() => Date.now())) + 90_000).toISOString();
    const data = { serviceId: 'plan-1', expiredAt, seats: 3, service: 'Family' };
    await route.fulfill({ json: { code: 0, msg: '', data } });
  });
  await arriveSignedIn(page, serviceHere, email);
  const plan = page.getByRole('region', { name: texts.en['account.plan'] });
  await expect(plan.getByText(texts.en['account.active'], { exact: true })).toBeVisible();
  await page.clock.runFor(61_000);
  await expect(plan.getByText(texts.en['account.active'], { exact: true })).toBeVisible();
  await page.clock.runFor(60_000);
  await expect(plan.getByText(texts.en['account.expired'], { exact: true })).toBeVisible();
});
