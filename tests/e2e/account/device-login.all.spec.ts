import { randomUUID } from 'node:crypto';
import { expect, test } from '../fixtures.ts';
import { AccountRoute } from '../routes/account/account-route.ts';
import { DeviceLoginRoute } from '../routes/account/device-login-route.ts';
import { LoginRoute } from '../routes/account/login-route.ts';
import { signInByApi } from '../support/service/api-user.ts';

test.describe('spec §2: /device-login?deviceId&token&next&inApp, silent device login', () => {
  test('spec §8: other nonzero codes show the message of the service', async ({ openedConsole: page }) => {
    await page.route('**/api/user-info', (route) =>
      route.fulfill({ json: { code: 500, msg: 'Back in a minute.', data: null } }),
    );
    await new DeviceLoginRoute(page).open(query({ deviceId: randomUUID(), token: 'any' }));
    await expect(page.getByText('Back in a minute.')).toBeVisible();
  });

  test('a failure leaves whoever was signed in alone', async ({ signedInConsole: page, email }) => {
    const login = new DeviceLoginRoute(page);
    await login.open(query({ deviceId: randomUUID(), token: 'forged' }));
    await expect(login.failed).toBeVisible();
    await new AccountRoute(page).open();
    await expect(page.getByText(email)).toBeVisible();
  });

  test('after a network failure the user can retry', async ({ openedConsole: page, serviceHere, email }) => {
    const { deviceId, token } = await signInByApi(serviceHere, email);
    await page.route('**/api/user-info', (route) => route.abort());
    const login = new DeviceLoginRoute(page);
    await login.open(query({ deviceId, token }));
    await expect(login.failed).toBeVisible();
    await page.unroute('**/api/user-info');
    await login.retry.click();
    await expect(new AccountRoute(page).heading).toBeFocused();
    await expect(page.getByText(email)).toBeVisible();
  });

  test('without a token it asks to sign in', async ({ openedConsole: page }) => {
    const login = new DeviceLoginRoute(page);
    for (const wrong of ['', '?token=x', `?deviceId=${randomUUID()}`]) {
      await login.open(wrong);
      await expect(new LoginRoute(page).heading, wrong).toBeVisible();
    }
  });

  test('in the desktop app the token goes to the session store, not into the page', async ({
    launchHere,
    serviceHere,
    email,
  }) => {
    const { deviceId, token } = await signInByApi(serviceHere, email);
    const { page } = await launchHere();
    await expect(new LoginRoute(page).heading).toBeVisible();
    await new DeviceLoginRoute(page).open(query({ deviceId, token, inApp: '1' }));
    await expect(new AccountRoute(page).heading).toBeVisible();
    await expect(page.getByText(email)).toBeVisible();
    const kept = await page.evaluate(() =>
      JSON.stringify([Object.entries(localStorage), Object.entries(sessionStorage)]),
    );
    expect(kept).not.toContain(token);
  });
});

function query(parameters: Record<string, string>): string {
  return `?${new URLSearchParams(parameters)}`;
}
