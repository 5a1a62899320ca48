import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { AccountRoute } from '../routes/account/account-route.ts';
import { LoginRoute } from '../routes/account/login-route.ts';
import { expectClearedBy401 } from '../support/service/cleared-by-401.ts';
import { arriveSignedIn, launchSignedIn } from '../support/tunnel/sign-in.ts';
import { texts } from '../support/screens/texts.ts';
import { openConsole } from '../support/service/web-console.ts';
import { withoutEvents } from '../support/service/without-events.ts';
import { expect, test } from '../webview/webview-fixtures.ts';

test.describe('spec §8:', () => {
  const cleared = 'clear session and go to /login';

  test(`code 401 in the desktop: ${cleared}`, async ({
    launchHere,
    serviceHere,
    email,
    directory,
    keyring,
  }) => {
    const { page } = await launchSignedIn(launchHere, serviceHere, email, { env: keyring.env });
    await expectClearedBy401(page, serviceHere, email, async () => ({
      data: await readFile(path.join(directory, 'app/page-storage.json'), 'utf8').catch(() => ''),
      token: (await keyring.secrets())[0],
    }));
  });

  test(`code 401 in the webview: ${cleared}`, async ({ signInInApp, serviceHere, email }) => {
    const { page, app } = await signInInApp('android');
    await expectClearedBy401(page, serviceHere, email, async () => ({
      data: JSON.stringify([...app.storage]),
      token: app.storage.get('token'),
    }));
  });

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
      // The page may ask as soon as the time has come.
      await page.route('**/api/user-info', (route) =>
        route.fulfill({ status: 401, json: { code: 401, msg: '', data: null } }),
      );
      await page.clock.install();
      await page.clock.fastForward('01:01:00');
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
      const kept = async () =>
        opened?.app.storage.get('token') ?? (await page.evaluate(() => localStorage.getItem('token')));
      await expect.poll(kept).toBeNull();
    });
  }
});

test("spec §9: trial traffic is 'enough' while (in+out)/rated <= 0.4, and rated 0 means unlimited", async ({
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
