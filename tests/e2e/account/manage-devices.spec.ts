import { DevicesRoute } from '../routes/devices-route.ts';
import { LoginRoute } from '../routes/login-route.ts';
import { must, signInByApi } from '../support/service/api-user.ts';
import { expect } from '../webview/webview-fixtures.ts';
import { keepPagesHere } from '../webview/kept-pages.ts';

const test = keepPagesHere();

test.describe('spec §2: /devices: the whole page on the desktop, and in a webview as there', () => {
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
