import { AccountRoute } from '../routes/account-route.ts';
import { CreateAppRoute } from '../routes/app-form-route.ts';
import { ConnectRoute } from '../routes/connect-route.ts';
import { DevicesRoute } from '../routes/devices-route.ts';
import { LoginRoute } from '../routes/login-route.ts';
import { ManageLinks } from '../routes/manage-links.ts';
import { Tabs } from '../routes/tabs.ts';
import { VerifyRoute } from '../routes/verify-route.ts';
import { pngPicture } from '../support/screens/picture.ts';
import { signIn } from '../support/tunnel/sign-in.ts';
import { texts } from '../support/screens/texts.ts';
import { expect, test } from './webview-fixtures.ts';
import { pressBack } from './press-back.ts';

/** What resources/webview/README.md leaves to the app, as an app does it. */

test.describe('the back button', () => {
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

  test('goes back through tabs and pages, and over what only leads on', async ({ signInInApp }) => {
    const { page } = await signInInApp('android');
    const [account, connect] = [new AccountRoute(page), new ConnectRoute(page)];
    await new Tabs(page).connect.click();
    await expect(connect.heading).toBeVisible();
    await new Tabs(page).account.click();
    await new ManageLinks(page).to('section.devices').click();
    await expect(new DevicesRoute(page).heading).toBeVisible();
    for (const route of [account, connect, account]) {
      expect(await pressBack(page)).toBe('went back');
      await expect(route.heading).toBeVisible();
    }
    expect(await pressBack(page)).toBe('left the app');
  });
});

test.describe('the file chooser', () => {
  test('is asked for one picture, again after the user gave up, and for the same picture twice', async ({
    signInInApp,
  }) => {
    const { page } = await signInInApp('android');
    const form = new CreateAppRoute(page);
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

test.describe('a deep link', () => {
  test('leads through signing in to where it leads, with what it says', async ({
    openInApp,
    serviceHere,
    email,
  }) => {
    const { page } = await openInApp('android', { url: `${serviceHere.consoleUrl}/members/add?from=mail` });
    const login = new LoginRoute(page);
    await expect(login.heading).toBeVisible();
    const codesBefore = await serviceHere.mailbox.countCodes(email);
    await login.email.fill(email);
    await login.continueButton.click();
    await new VerifyRoute(page).type(await serviceHere.mailbox.code(email, codesBefore));
    await expect(page).toHaveURL(`${serviceHere.consoleUrl}/members/add?from=mail`);
    expect(await pressBack(page)).toBe('left the app');
  });
});
