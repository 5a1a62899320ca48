import { DevicesRoute } from '../routes/devices-route.ts';
import { LoginRoute } from '../routes/login-route.ts';
import { must, signInByApi } from '../support/service/api-user.ts';
import { expect, test } from '../webview/webview-fixtures.ts';

test.describe('spec §2: /devices: the whole page on the desktop, and in a webview as there', () => {
  test('revoking the current device signs out', async ({ signedInHere: { page }, serviceHere, email }) => {
    const other = await signInByApi(serviceHere, email, 'Tablet');
    const devices = new DevicesRoute(page);
    await devices.open();
    const name = must(await other.call('devices')).items.find(({ isCurrent }) => !isCurrent)?.name ?? '';
    await devices.revoke(name).click();
    await expect(devices.losesThisDevice).toBeVisible();
    await devices.confirm.click();
    await expect(new LoginRoute(page).heading).toBeVisible();
    expect(must(await other.call('devices')).items.map((device) => device.name)).toEqual(['Tablet']);
  });
});
