import { expect, test } from '../webview/webview-fixtures.ts';
import { DevicesRoute } from '../routes/manage/devices-route.ts';
import { LoginRoute } from '../routes/account/login-route.ts';
import { must, signInByApi } from '../support/service/api-user.ts';
import { ManageLinks } from '../routes/manage/manage-links.ts';

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

  test('every signed-in device is listed, the current one marked', async ({
    signInInApp,
    serviceHere,
    email,
  }) => {
    const { page } = await signInInApp('android');
    await signInByApi(serviceHere, email, 'Tablet in the kitchen');
    await new ManageLinks(page).to('section.devices').click();
    const devices = new DevicesRoute(page);
    await expect(devices.heading).toBeFocused();
    await expect(devices.rows).toHaveCount(2);
    await expect(devices.current).toHaveCount(1);
    await expect(devices.row('Tablet in the kitchen').getByText('This device')).toBeHidden();
  });

  test('a device is revoked after asking, and is signed out then', async ({
    signedInHere: { page },
    serviceHere,
    email,
  }) => {
    const tablet = await signInByApi(serviceHere, email, 'Tablet');
    const devices = new DevicesRoute(page);
    await devices.open();

    await devices.revoke('Tablet').click();
    await expect(devices.cancel).toBeFocused();
    await page.keyboard.press('Escape');
    await expect(devices.dialog).toBeHidden();
    await expect(devices.revoke('Tablet')).toBeFocused();
    must(await tablet.call('userInfo'));

    await devices.revoke('Tablet').click();
    await devices.confirm.click();
    await expect(devices.revoked).toBeVisible();
    await expect(devices.rows).toHaveCount(1);
    await expect(devices.heading).toBeFocused();
    expect(await tablet.call('userInfo')).toEqual({ ok: false, failure: { kind: 'unauthorized' } });
  });

  test('signing out all devices ends every session, this one too', async ({
    signInInApp,
    serviceHere,
    email,
  }) => {
    const { page } = await signInInApp('android');
    const tablet = await signInByApi(serviceHere, email, 'Tablet');
    const devices = new DevicesRoute(page);
    await devices.open();
    await devices.revokeAll.click();
    must(await tablet.call('userInfo'));
    await devices.confirmAll.click();
    await expect(new LoginRoute(page).heading).toBeVisible();
    expect(await tablet.call('userInfo')).toEqual({ ok: false, failure: { kind: 'unauthorized' } });
  });
});
