import { AccountRoute } from '../routes/account/account-route.ts';
import { ConnectRoute } from '../routes/connect/connect-route.ts';
import { DevicesRoute } from '../routes/manage/devices-route.ts';
import { LoginRoute } from '../routes/account/login-route.ts';
import { ManageLinks } from '../routes/manage/manage-links.ts';
import { Tabs } from '../routes/frame/tabs.ts';
import { VerifyRoute } from '../routes/account/verify-route.ts';
import { lackPlan } from '../support/screens/server-list-screens.ts';
import { expect, test } from './webview-fixtures.ts';
import { pressBack } from './press-back.ts';

/** What docs/webview.md leaves to the app, as an app does it. */

test('a deep link leads through signing in to its page, and the back button back through tabs and pages', async ({
  openInApp,
  serviceHere,
  email,
}) => {
  const { page } = await openInApp('android', { url: `${serviceHere.consoleUrl}/members/add?from=mail` });
  await test.step('a deep link leads through signing in to where it leads, with what it says', async () => {
    const login = new LoginRoute(page);
    await expect(login.heading).toBeVisible();
    const codesBefore = await serviceHere.mailbox.countCodes(email);
    await login.email.fill(email);
    await login.continueButton.click();
    await new VerifyRoute(page).type(await serviceHere.mailbox.code(email, codesBefore));
    await expect(page).toHaveURL(`${serviceHere.consoleUrl}/members/add?from=mail`);
    expect(await pressBack(page)).toBe('left the app');
  });

  await test.step('the back button goes back through tabs and pages, and over what only leads on', async () => {
    const [account, connect] = [new AccountRoute(page), new ConnectRoute(page)];
    const tabs = new Tabs(page);
    await tabs.account.click();
    await expect(account.heading).toBeVisible();
    await tabs.connect.click();
    await expect(connect.heading).toBeVisible();
    await tabs.account.click();
    await new ManageLinks(page).to('section.devices').click();
    await expect(new DevicesRoute(page).heading).toBeVisible();
    for (const route of [account, connect, account]) {
      expect(await pressBack(page)).toBe('went back');
      await expect(route.heading).toBeVisible();
    }
    expect(await pressBack(page)).toBe('went back');
    await expect(page).toHaveURL(`${serviceHere.consoleUrl}/members/add?from=mail`);
  });
  expect(await pressBack(page)).toBe('left the app');
});

test('the back button closes a dialog and stays on the page, and leads back as before once it is closed', async ({
  signInInApp,
}) => {
  const { app, page } = await signInInApp('android');
  await lackPlan(page, app);
  const [account, connect, tabs] = [new AccountRoute(page), new ConnectRoute(page), new Tabs(page)];
  await tabs.account.click();
  await expect(account.heading).toBeVisible();
  await tabs.connect.click();
  const dialog = page.getByRole('dialog');

  await test.step('the dialog is closed', async () => {
    await connect.openServers();
    expect(await pressBack(page)).toBe('went back');
    await expect(dialog).toBeHidden();
    await expect(connect.heading).toBeVisible();
  });

  await test.step('a dialog that is closed by itself is no step of the way back', async () => {
    await connect.openServers();
    await page.keyboard.press('Escape');
    await expect(dialog).toBeHidden();
    await expect
      .poll(() => page.evaluate(() => (history.state as { dialog?: unknown }).dialog))
      .toBeUndefined();
    expect(await pressBack(page)).toBe('went back');
    await expect(account.heading).toBeVisible();
    await tabs.connect.click();
  });

  await test.step('a dialog that leads to another page is none either', async () => {
    await connect.openServers();
    await connect.planForServers.click();
    await expect(dialog).toBeHidden();
    expect(await pressBack(page)).toBe('went back');
    await expect(connect.heading).toBeVisible();
    expect(await pressBack(page)).toBe('went back');
    await expect(account.heading).toBeVisible();
  });

  await test.step('a page that is opened while a dialog closes stays open', async () => {
    await tabs.connect.click();
    await connect.openServers();
    await page.evaluate(() => {
      document.querySelector('dialog[open]')?.dispatchEvent(new Event('cancel', { cancelable: true }));
      setTimeout(() => document.querySelector<HTMLElement>('a[href="/dashboard"]')?.click());
    });
    await expect(dialog).toBeHidden();
    await expect(account.heading).toBeVisible();
    await expect
      .poll(async () => {
        await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 200)));
        return new URL(page.url()).pathname;
      })
      .toBe('/dashboard');
    expect(await pressBack(page)).toBe('went back');
    await expect(connect.heading).toBeVisible();
  });
});
