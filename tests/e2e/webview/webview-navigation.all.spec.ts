import { AccountRoute } from '../routes/account/account-route.ts';
import { ConnectRoute } from '../routes/connect/connect-route.ts';
import { DeviceLoginRoute } from '../routes/account/device-login-route.ts';
import { LoginRoute } from '../routes/account/login-route.ts';
import { ManageLinks } from '../routes/manage/manage-links.ts';
import { NotFoundRoute } from '../routes/frame/not-found-route.ts';
import { PurchaseRoute } from '../routes/store/purchase-route.ts';
import { RedeemRoute } from '../routes/account/redeem-route.ts';
import { Tabs } from '../routes/frame/tabs.ts';
import { VerifyRoute } from '../routes/account/verify-route.ts';
import { connectTo } from '../support/tunnel/connect.ts';
import { deviceLogin, signIn } from '../support/tunnel/sign-in.ts';
import { texts } from '../support/screens/texts.ts';
import { expect, test } from './webview-fixtures.ts';
import { pressBack } from './press-back.ts';
import { CreateMiniAppRoute } from '../routes/manage/mini-app-form-route.ts';
import { pngPicture } from '../support/screens/picture.ts';

/** What docs/webview.md leaves to the app, as an app does it. */

test.describe('the back button', () => {
  test('leads from where the code is typed to the email, and from a wrong turn there out of the app', async ({
    openInApp,
    email,
  }) => {
    const { page } = await openInApp('android');
    const login = new LoginRoute(page);
    await login.askForCode(email);
    await new VerifyRoute(page).reached();
    expect(await pressBack(page)).toBe('went back');
    await expect(login.heading).toBeVisible();
    expect(await pressBack(page)).toBe('left the app');
  });

  test('closes nothing but the page when the browser of the system has the shop', async ({ signInInApp }) => {
    const { app, page } = await signInInApp('android');
    await new ManageLinks(page).to('section.purchase').click();
    await expect(new PurchaseRoute(page).outside).toBeVisible();
    await expect.poll(() => app.opened).toHaveLength(1);
    expect(await pressBack(page)).toBe('went back');
    await expect(new AccountRoute(page).heading).toBeVisible();
    expect(app.opened).toHaveLength(1);
  });

  test('leaves the app after signing in, and never leads to sign-in again', async ({
    openInApp,
    serviceHere,
    email,
  }) => {
    const { page } = await openInApp('android');
    // Ends at the account, where the tab of the page leads that signing in leads to.
    await signIn(page, serviceHere, email);
    expect(await pressBack(page)).toBe('went back');
    await expect(new ConnectRoute(page).heading).toBeVisible();
    expect(await pressBack(page)).toBe('left the app');
  });
});

test.describe('a deep link', () => {
  test('keeps who is signed in, and the tunnel that is up', async ({ signInInApp, serviceHere }) => {
    const { app, page } = await signInInApp('android');
    await connectTo(page);
    await page.goto(`${serviceHere.consoleUrl}/x`);
    await expect(new RedeemRoute(page).heading).toBeVisible();
    expect(app.state().state).toBe('connected');
    await new Tabs(page).connect.click();
    await expect(new ConnectRoute(page).status('connect.connected')).toBeVisible();
  });

  test('to nowhere says so and leads home, and to the shop leads to the system’s browser', async ({
    signInInApp,
    serviceHere,
  }) => {
    const { app, page } = await signInInApp('android');
    await page.goto(`${serviceHere.consoleUrl}/store/change-service`);
    await expect(new PurchaseRoute(page).outside).toBeVisible();
    await expect.poll(() => app.opened).toHaveLength(1);
    await page.goto(`${serviceHere.consoleUrl}/no/such/page`);
    await expect(new NotFoundRoute(page).heading).toBeVisible();
    await page.getByRole('link', { name: texts.en['notFound.back'] }).click();
    await expect(new AccountRoute(page).heading).toBeVisible();
  });

  test('of somebody else’s /device-login asks first, and staying leaves nothing behind it', async ({
    signInInApp,
    serviceHere,
    email,
  }) => {
    const { app, page } = await signInInApp('android');
    const before = app.storage.get('token');
    await page.goto(serviceHere.consoleUrl + (await deviceLogin(serviceHere, email.replace('@', '-other@'))));
    const login = new DeviceLoginRoute(page);
    await expect(login.signInInstead).toBeVisible();
    expect(app.storage.get('token')).toBe(before);
    await login.stay.click();
    await expect(page.getByText(email, { exact: true })).toBeVisible();
    expect(app.storage.get('token')).toBe(before);
  });
});

test.describe('the file chooser', () => {
  test('is asked for one picture, again after the user gave up, and for the same picture twice', async ({
    signInInApp,
  }) => {
    const { page } = await signInInApp('android');
    const form = new CreateMiniAppRoute(page);
    await form.open();
    const choose = page.getByRole('button', { name: texts.en['appForm.iconChoose'] });
    const chooser = async () => {
      const [opened] = await Promise.all([page.waitForEvent('filechooser'), choose.click()]);
      return opened;
    };
    const first = await chooser();
    expect(first.isMultiple()).toBe(false);
    expect(await first.element().getAttribute('accept')).toBe('image/png,image/jpeg,image/webp');
    // `onReceiveValue(null)`: nothing was chosen.
    await first.setFiles([]);
    const buffer = pngPicture(200, 100, () => [0, 128, 0]);
    const picture = { name: 'icon.png', mimeType: 'image/png', buffer };
    for (let times = 0; times < 2; times += 1) {
      await (await chooser()).setFiles(picture);
      await expect(form.cropDialog).toBeVisible();
      await form.cropDialog.getByRole('button', { name: texts.en['dialog.cancel'] }).click();
      await expect(form.cropDialog).toBeHidden();
    }
    await (await chooser()).setFiles({ ...picture, buffer: Buffer.from('not a picture') });
    await expect(form.iconUnreadable).toBeVisible();
  });
});
