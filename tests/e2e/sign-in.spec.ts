import type { Page } from 'playwright/test';
import { expect, test } from './fixtures.ts';
import { AccountRoute } from './routes/account-route.ts';
import { LoginRoute } from './routes/login-route.ts';
import { LogoutRoute } from './routes/logout-route.ts';
import { NotFoundRoute } from './routes/not-found-route.ts';
import { VerifyRoute } from './routes/verify-route.ts';
import type { TestService } from './support/service.ts';
import { signIn } from './support/sign-in.ts';

/** Has a code mailed, and waits for it at the page that asks for it. */
async function askForCode(page: Page, service: TestService, email: string) {
  await new LoginRoute(page).askForCode(email);
  return { verify: new VerifyRoute(page), code: await service.mailbox.code(email) };
}

test.describe('sign-in on the desktop', () => {
  test('mail read from the mail box over its protocol, code typed: the account is shown', async ({
    launchHere,
    serviceHere,
    email,
  }) => {
    const { page } = await launchHere();
    await expect(new LoginRoute(page).heading).toBeVisible();
    await signIn(page, serviceHere, email);
    await expect(new VerifyRoute(page).success).toBeVisible();
    await expect(page.getByText(email)).toBeVisible();
  });

  test('spec §5: continue is disabled until the email matches the pattern', async ({ launchHere }) => {
    const { page } = await launchHere();
    const login = new LoginRoute(page);
    for (const wrong of ['', 'person', 'person@example', 'person@example.toolong', 'a b@example.com']) {
      await login.email.fill(wrong);
      await expect(login.continueButton, wrong).toBeDisabled();
    }
    await login.email.fill('person@example.com');
    await expect(login.continueButton).toBeEnabled();
  });

  test("wrong code: field error 'verification code incorrect', and the right one still works", async ({
    launchHere,
    serviceHere,
    email,
  }) => {
    const { page } = await launchHere();
    const { verify, code } = await askForCode(page, serviceHere, email);
    await verify.type(code === '000000' ? '111111' : '000000');
    await expect(verify.incorrect).toBeVisible();
    await expect(verify.verifyButton).toBeDisabled();
    await verify.type(code);
    await expect(new AccountRoute(page).heading).toBeVisible();
  });

  test('a code allows five tries, then it is gone', async ({ launchHere, serviceHere, email }) => {
    const { page } = await launchHere();
    const { verify, code } = await askForCode(page, serviceHere, email);
    const wrong = code === '000000' ? '111111' : '000000';
    for (let tries = 1; tries <= 5; tries += 1) {
      await verify.type(wrong);
      await expect(verify.incorrect).toBeVisible();
    }
    await verify.type(code);
    await expect(verify.incorrect).toBeVisible();
    await expect(verify.heading).toBeVisible();
  });

  test('expired code: after ten minutes the right code is refused', async ({
    launchHere,
    serviceHere,
    email,
  }) => {
    const { page } = await launchHere();
    const { verify, code } = await askForCode(page, serviceHere, email);
    await serviceHere.advance(10 * 60_000 + 1000);
    await verify.type(code);
    await expect(verify.incorrect).toBeVisible();
    await expect(verify.heading).toBeVisible();
  });

  test('spec §9: another code can be asked for after 60 s only', async ({ launchHere, email }) => {
    const { page } = await launchHere();
    await page.clock.install();
    await new LoginRoute(page).askForCode(email);
    const verify = new VerifyRoute(page);
    await expect(verify.resendIn).toBeDisabled();
    await page.clock.fastForward(58_000);
    await expect(verify.resendIn).toBeDisabled();
    await page.clock.fastForward(3000);
    await expect(verify.resend).toBeEnabled();
  });

  test('spec §2: without email and authId the verify page goes to /login', async ({ launchHere }) => {
    const { page } = await launchHere();
    const login = new LoginRoute(page);
    await expect(login.heading).toBeVisible();
    for (const query of ['?email=person@example.com', '?authId=1', '']) {
      await new VerifyRoute(page).open(query);
      await expect(login.heading).toBeVisible();
    }
  });

  test('spec §2: a logged-in user at /login is redirected to /dashboard; no version string in the app', async ({
    launchHere,
    serviceHere,
    email,
  }) => {
    const { page } = await launchHere();
    const login = new LoginRoute(page);
    await expect(login.heading).toBeVisible();
    await expect(login.version).toBeHidden();
    await signIn(page, serviceHere, email);
    await login.open();
    await expect(new AccountRoute(page).heading).toBeVisible();
  });

  test('signing out forgets the session and goes to /login; a protected route then asks to sign in', async ({
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

  test("an unknown address shows the 404 page, with 'back home' to the dashboard", async ({
    signedInHere: { page },
  }) => {
    const notFound = new NotFoundRoute(page);
    await notFound.open();
    await expect(notFound.heading).toBeVisible();
    await notFound.backHome.click();
    await expect(new AccountRoute(page).heading).toBeVisible();
  });

  test('service down: the user is told, and can retry when it is back', async ({
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
