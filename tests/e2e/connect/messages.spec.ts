import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Page } from 'playwright/test';
import { isExhaustive } from '../../lab/runs/thoroughness.ts';
import { AccountRoute } from '../routes/account-route.ts';
import { LoginRoute } from '../routes/login-route.ts';
import { RedeemRoute } from '../routes/redeem-route.ts';
import { VerifyRoute } from '../routes/verify-route.ts';
import { must, signInByApi } from '../support/service/api-user.ts';
import type { TestService } from '../support/service/service.ts';
import { arriveSignedIn, launchSignedIn } from '../support/tunnel/sign-in.ts';
import { texts } from '../support/screens/texts.ts';
import { openConsole } from '../support/service/web-console.ts';
import { withoutEvents } from '../support/service/without-events.ts';
import { expect, test } from '../webview/webview-fixtures.ts';

test.describe('spec §8:', () => {
  test("network failures: 'send failed, please retry', 'verification failed, please retry', 'login failed, please retry'", async ({
    openedConsole: page,
    serviceHere,
    email,
  }) => {
    const login = new LoginRoute(page);
    await page.route('**/api/get-auth-code', (route) => route.abort(), { times: 1 });
    await login.askForCode(email);
    await expect(login.sendFailed).toBeVisible();
    await expect(login.email).toHaveValue(email);
    await login.continueButton.click();
    const verify = new VerifyRoute(page);
    const code = await serviceHere.mailbox.code(email);
    await page.route('**/api/auth', (route) => route.abort(), { times: 1 });
    await verify.type(code);
    await expect(verify.failed).toBeVisible();
    // A code of six characters stays, and may be tried again.
    await page.route('**/api/auth', (route) => route.fulfill({ json: { code: 0, msg: '', data: 'none' } }), {
      times: 1,
    });
    await verify.verifyButton.click();
    await expect(verify.loginFailed).toBeVisible();
    await verify.verifyButton.click();
    await expect(new AccountRoute(page).heading).toBeVisible();
  });

  test("code 498: 'auth state changed' when the token changes during a call", async ({
    signedInConsole: page,
  }) => {
    const redeem = new RedeemRoute(page);
    await redeem.open();
    await page.route('**/api/license-keys/*/consume', async (route) => {
      // As another tab does in which somebody signs in meanwhile.
      await page.evaluate(() => localStorage.setItem('token', 'of somebody else'));
      await route.fulfill({ json: { code: 0, msg: '', data: null } });
    });
    await redeem.redeem('ANY-KEY');
    await expect(page.getByText(texts.en['error.authChanged'])).toBeVisible();
    await expect(redeem.success).toBeHidden();
  });

  const cleared = 'clear session and go to /login';

  if (isExhaustive)
    test(`code 401 in the desktop: ${cleared}`, async ({
      launchHere,
      serviceHere,
      email,
      directory,
      keyring,
    }) => {
      const { page } = await launchSignedIn(launchHere, serviceHere, email, { env: keyring.env });
      await expectClearedBy401(page, serviceHere, email, async () => ({
        data: await readFile(path.join(directory, 'app/page-storage.json'), 'utf8'),
        token: (await keyring.secrets())[0],
      }));
    });

  test(`code 401 in the web console: ${cleared}`, async ({ signedInConsole: page, serviceHere, email }) => {
    await expectClearedBy401(page, serviceHere, email, () =>
      page.evaluate(() => ({
        data: JSON.stringify(localStorage),
        token: localStorage.getItem('token') ?? undefined,
      })),
    );
  });

  if (isExhaustive)
    test(`code 401 in the webview: ${cleared}`, async ({ signInInApp, serviceHere, email }) => {
      const { page, app } = await signInInApp('android');
      await expectClearedBy401(page, serviceHere, email, async () => ({
        data: JSON.stringify([...app.storage]),
        token: app.storage.get('token'),
      }));
    });

  if (isExhaustive)
    for (const host of ['web console', 'webview'] as const) {
      test(`code 401 for user-info in the ${host}: the cached user if present, else unauthenticated`, async ({
        browserHere,
        openInApp,
        serviceHere,
        email,
      }) => {
        const opened = host === 'webview' ? await openInApp('ios') : undefined;
        const page = opened?.page ?? (await openConsole(browserHere, serviceHere));
        await arriveSignedIn(page, serviceHere, email);
        await expect(page.getByText(email)).toBeVisible();
        await withoutEvents(page.context());
        await page.clock.install();
        await page.clock.fastForward('01:01:00');
        await page.route('**/api/user-info', (route) =>
          route.fulfill({ status: 401, json: { code: 401, msg: '', data: null } }),
        );
        const refused = page.waitForResponse('**/api/user-info');
        await page.reload();
        await refused;
        await page.waitForLoadState('networkidle');
        await expect(new AccountRoute(page).heading).toBeVisible();
        await expect(page.getByText(email)).toBeVisible();

        opened?.app.storage.delete('user');
        await page.evaluate(() => localStorage.removeItem('user'));
        await page.reload();
        await expect(new LoginRoute(page).heading).toBeVisible();
        const kept =
          opened?.app.storage.get('token') ?? (await page.evaluate(() => localStorage.getItem('token')));
        expect(kept).toBeNull();
      });
    }
});

if (isExhaustive)
  test("spec §9: trial traffic is 'enough' while (in+out)/rated <= 0.4; rated 0 means unlimited", async ({
    signedInConsole: page,
  }) => {
    const card = page.getByRole('region', { name: texts.en['account.traffic'] });
    for (const [stats, shown] of [
      [{ rated: 0, in: 9e9, out: 9e9 }, 'account.trafficUnlimited'],
      [{ rated: 1e9, in: 3e8, out: 1e8 }, 'account.trafficEnough'],
      [{ rated: 1e9, in: 3e8, out: 1.1e8 }, 'account.trafficLow'],
    ] as const) {
      await page.route('**/api/traffic-stats', (route) =>
        route.fulfill({ json: { code: 0, msg: '', data: stats } }),
      );
      await page.reload();
      await expect(card.getByText(texts.en[shown], { exact: true })).toBeVisible();
    }
  });

/** What a host has stored: the page's data as text, and the session's token if there is one. */
type Kept = () => Promise<{ data: string; token: string | undefined }>;

/** The user's other device ends the session of `page`, and nothing stays of it. */
async function expectClearedBy401(
  page: Page,
  service: TestService,
  email: string,
  kept: Kept,
): Promise<void> {
  await expect(page.getByText(email)).toBeVisible();
  await expect.poll(async () => (await kept()).data, 'positive control').toContain(email);
  const { token = '' } = await kept();
  expect(token.length, 'positive control').toBeGreaterThan(20);
  const other = await signInByApi(service, email);
  for (const { deviceId, isCurrent } of must(await other.call('devices')).items) {
    if (!isCurrent) must(await other.call('revokeDevice', { params: { deviceId } }));
  }
  await page.reload();
  const login = new LoginRoute(page);
  await expect(login.heading).toBeVisible();
  await expect(page).toHaveURL(/\/login$/);
  await expect.poll(async () => (await kept()).token).toBeUndefined();
  const { data } = await kept();
  expect(data).not.toContain(email);
  expect(data).not.toContain(token);
  await new AccountRoute(page).open();
  await expect(login.heading).toBeVisible();
}
