import { AccountRoute } from '../routes/account/account-route.ts';
import { askForCode } from '../routes/account/ask-for-code.ts';
import { ConnectRoute } from '../routes/connect/connect-route.ts';
import { LoginRoute } from '../routes/account/login-route.ts';
import { LogoutRoute } from '../routes/account/logout-route.ts';
import { NotFoundRoute } from '../routes/frame/not-found-route.ts';
import { VerifyRoute } from '../routes/account/verify-route.ts';
import { pauseClock, tickUntil } from '../support/host/tick-until.ts';
import { expect, test } from '../webview/webview-fixtures.ts';

test.describe('spec §2: /login: email entry, and /auth-verify: six-digit code entry, on the desktop and in a webview:', () => {
  test('a code allows five tries, then it is gone', async ({ openInApp, serviceHere, email }) => {
    const { page } = await openInApp('android');
    const { verify, code } = await askForCode(page, serviceHere, email);
    const wrong = code === '000000' ? '111111' : '000000';
    for (let tries = 1; tries <= 4; tries += 1) {
      await verify.type(wrong);
      await expect(verify.incorrect).toBeVisible();
    }
    await verify.type(wrong);
    await expect(verify.over).toBeVisible();
    await expect(verify.incorrect).toBeHidden();
    await page.reload();
    await expect(verify.over).toBeVisible();
    await verify.type(code);
    await expect(verify.over).toBeVisible();
    await expect(verify.heading).toBeVisible();
  });

  test('a code is sent as soon as it is whole, however it is entered, and also after a wrong one', async ({
    openInApp,
    serviceHere,
    email,
  }) => {
    const { page } = await openInApp('android');
    const { verify, code } = await askForCode(page, serviceHere, email);
    const wrong = code === '000000' ? '111111' : '000000';
    const isRefused = async (enter: () => Promise<void>) => {
      await expect(verify.digits.first()).toBeFocused();
      const [reply] = await Promise.all([page.waitForResponse('**/api/auth'), enter()]);
      expect(await reply.json()).toMatchObject({ code: 422 });
      await expect(verify.incorrect).toBeVisible();
    };
    await isRefused(async () => {
      for (const digit of wrong) {
        await page.keyboard.insertText(String.fromCodePoint(0x0660 + Number(digit)));
      }
    });
    await isRefused(() => verify.paste(wrong));
    await isRefused(() => verify.digits.first().fill(`${wrong.slice(0, 3)} ${wrong.slice(3)}`));
    await verify.paste(code);
    await expect(verify.success).toBeVisible();
  });

  test('an email that a password manager has filled in without an event is taken', async ({ openInApp }) => {
    const { page } = await openInApp('ios');
    const login = new LoginRoute(page);
    await expect(login.continueButton).toBeDisabled();
    // Not by the setter of the field itself, which is React's.
    await login.email.evaluate((field) => {
      Reflect.set(HTMLInputElement.prototype, 'value', 'person@example.com', field);
    });
    await expect(login.continueButton).toBeEnabled();
    await expect(login.email).toHaveValue('person@example.com');
    await login.email.fill('');
    await expect(login.continueButton).toBeDisabled();
  });

  test('whoever goes back to the email page while the code is checked ends on the first page, not before the login', async ({
    openInApp,
    serviceHere,
    email,
  }) => {
    const { page } = await openInApp('android');
    const { verify, code } = await askForCode(page, serviceHere, email);
    const { promise: isWanted, resolve: answer } = Promise.withResolvers<void>();
    await page.route('**/api/auth', async (route) => {
      await isWanted;
      await route.continue();
    });
    await verify.type(code);
    await verify.changeEmail.click();
    await expect(new LoginRoute(page).heading).toBeVisible();
    answer();
    await expect(verify.success).toBeVisible();
    await expect(new ConnectRoute(page).heading).toBeVisible();
  });

  test('whoever goes back to the email page while another code is mailed is left there, and may type another address', async ({
    openInApp,
    serviceHere,
    email,
  }) => {
    const { page } = await openInApp('android');
    const login = new LoginRoute(page);
    await expect(login.heading).toBeVisible();
    await page.clock.install();
    const { verify } = await askForCode(page, serviceHere, email);
    // Parts of the app that are still being loaded would be given up.
    await expect(verify.resendIn).toBeDisabled();
    await serviceHere.advance(61_000);
    await page.clock.fastForward(61_000);
    const { promise: isWanted, resolve: answer } = Promise.withResolvers<void>();
    await page.route('**/api/get-auth-code', async (route) => {
      await isWanted;
      await route.continue();
    });
    await verify.resend.click();
    await verify.changeEmail.click();
    await login.email.fill(`other-${email}`);
    answer();
    await expect(verify.resent).toBeVisible();
    await expect(login.continueButton).toBeEnabled();
    await login.email.press('End');
    await page.keyboard.type('x');
    await expect(login.email).toHaveValue(`other-${email}x`);
  });

  test('expired code: after ten minutes the right code is refused', async ({
    openInApp,
    serviceHere,
    email,
  }) => {
    const { page } = await openInApp('android');
    const { verify, code } = await askForCode(page, serviceHere, email);
    await serviceHere.advance(10 * 60_000 + 1000);
    await verify.type(code);
    await expect(verify.incorrect).toBeVisible();
    await expect(verify.heading).toBeVisible();
  });

  test('spec §5: resend code allowed only after a 60 s countdown', async ({ openInApp, email }) => {
    const { page } = await openInApp('android');
    await expect(new LoginRoute(page).heading).toBeVisible();
    await page.clock.install();
    // However long each step takes, no time passes but what the test says.
    await pauseClock(page);
    await new LoginRoute(page).askForCode(email);
    const verify = new VerifyRoute(page);
    await tickUntil(page, () => expect(verify.resendIn).toBeDisabled({ timeout: 1000 }));
    await page.clock.fastForward(58_000);
    await expect(verify.resendIn).toBeDisabled();
    await page.clock.fastForward(3000);
    await expect(verify.resend).toBeEnabled();
  });

  test('spec §2: /logout: logout confirmation, which clears everything and goes to /login (spec §4)', async ({
    signedInHere: { page },
  }) => {
    const account = new AccountRoute(page);
    await account.signOut.click();
    const logout = new LogoutRoute(page);
    await logout.stay.click();
    await expect(account.heading).toBeVisible();
    await account.signOut.click();
    await logout.confirm.click();
    const login = new LoginRoute(page);
    await expect(login.heading).toBeVisible();
    await account.open();
    await expect(login.heading).toBeVisible();
  });

  test("spec §2: *: 404 page with a 'back home' button to /dashboard", async ({ signInInApp }) => {
    const { page } = await signInInApp('android');
    const notFound = new NotFoundRoute(page);
    await notFound.open();
    await expect(notFound.heading).toBeVisible();
    await notFound.backHome.click();
    await expect(new AccountRoute(page).heading).toBeVisible();
  });

  test('a page that was closed while the mail was read leads back to where the code is typed', async ({
    openInApp,
    serviceHere,
    email,
  }) => {
    const { page } = await openInApp('android');
    const { verify, code } = await askForCode(page, serviceHere, email);
    await expect(verify.heading).toBeVisible();
    // As an app begins.
    await new AccountRoute(page).open();
    await new LoginRoute(page).haveCode.click();
    await verify.type(code);
    await expect(new ConnectRoute(page).heading).toBeVisible();
  });

  test("spec §8: 'send failed, please retry' while the service is down, and the user can when it is back", async ({
    launchHere,
    serviceHere,
    email,
  }) => {
    const { page } = await launchHere();
    const login = new LoginRoute(page);
    await expect(login.heading).toBeVisible();
    await serviceHere.stop();
    await login.askForCode(email);
    await expect(login.sendFailed).toBeVisible();
    await serviceHere.start();
    await login.continueButton.click();
    await expect(new VerifyRoute(page).heading).toBeVisible();
  });
});
