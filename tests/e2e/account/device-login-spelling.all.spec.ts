import { LoginRoute } from '../routes/account/login-route.ts';
import { RedeemRoute } from '../routes/account/redeem-route.ts';
import { signInByApi } from '../support/service/api-user.ts';
import { expect, test } from '../fixtures.ts';

for (const path of ['/Device-Login', '/device-login/']) {
  test(`${path} signs in like the page it is, and leaves no token in the address`, async ({
    openedConsole: page,
    serviceHere,
    email,
  }) => {
    const { deviceId, token } = await signInByApi(serviceHere, email);
    await expect(new LoginRoute(page).heading).toBeVisible();
    const query = new URLSearchParams({ deviceId, token, next: '/X/' });
    await page.goto(`${serviceHere.consoleUrl}${path}?${query.toString()}`);
    await expect(new RedeemRoute(page).heading).toBeVisible();
    await expect(page).toHaveURL(`${serviceHere.consoleUrl}/x`);
    await expect(page.getByRole('navigation', { name: 'Breadcrumbs' })).toBeVisible();
  });
}
