import type { Page } from 'playwright/test';
import { AccountRoute } from '../routes/account-route.ts';
import { ConnectRoute } from '../routes/connect-route.ts';
import { LoginRoute } from '../routes/login-route.ts';
import { VerifyRoute } from '../routes/verify-route.ts';
import type { TestService } from '../support/service/service.ts';
import { signIn } from '../support/tunnel/sign-in.ts';
import { expect } from '../webview/webview-fixtures.ts';
import { keepPagesHere } from '../webview/kept-pages.ts';
import { isExhaustive } from '../../lab/runs/thoroughness.ts';

const test = keepPagesHere();

/** Has a code mailed, and waits for it at the page that asks for it. */
async function askForCode(page: Page, service: TestService, email: string) {
  await new LoginRoute(page).askForCode(email);
  return { verify: new VerifyRoute(page), code: await service.mailbox.code(email) };
}

test.describe('spec §2: /login: email entry, and /auth-verify: six-digit code entry, on the desktop and in a webview:', () => {
  test("spec §4: auth: enter email, get code, verify, token stored, authenticated; spec §8: 'login success'; spec §2: /login: a logged-in user is redirected to /dashboard; the version string is for the web only", async ({
    launchHere,
    serviceHere,
    email,
  }) => {
    const { page } = await launchHere();
    const login = new LoginRoute(page);
    await expect(login.heading).toBeVisible();
    await expect(login.version).toBeHidden();
    // It is shown for 3 s, which a busy machine may spend on the pages behind it.
    await Promise.all([
      expect(new VerifyRoute(page).success).toBeVisible(),
      signIn(page, serviceHere, email),
    ]);
    await expect(page.getByText(email)).toBeVisible();
    await login.open();
    await expect(new AccountRoute(page).heading).toBeVisible();
  });

  if (isExhaustive)
    test('spec §5: login email must match a basic email pattern; the continue button is disabled otherwise', async ({
      openInApp,
    }) => {
      const { page } = await openInApp('android');
      const login = new LoginRoute(page);
      for (const wrong of ['', 'person', 'person@example', 'person@example.toolong', 'a b@example.com']) {
        await login.email.fill(wrong);
        await expect(login.continueButton, wrong).toBeDisabled();
      }
      await login.email.fill('person@example.com');
      await expect(login.continueButton).toBeEnabled();
    });

  test("spec §8: code 422 on verify: code field error 'verification code incorrect'; the right one still works", async ({
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
    await expect(new ConnectRoute(page).heading).toBeVisible();
  });

  if (isExhaustive)
    test('spec §5: the verify page requires email and authId query parameters, otherwise goes to /login', async ({
      openInApp,
    }) => {
      const { page } = await openInApp('android');
      const login = new LoginRoute(page);
      await expect(login.heading).toBeVisible();
      for (const query of ['?email=person@example.com', '?authId=1', '']) {
        await new VerifyRoute(page).open(query);
        await expect(login.heading).toBeVisible();
      }
    });

  if (isExhaustive)
    test('Back from the code, and the same email again, leads to where the mailed code is typed', async ({
      openInApp,
      serviceHere,
      email,
    }) => {
      const { page } = await openInApp('android');
      const { verify, code } = await askForCode(page, serviceHere, email);
      await expect(verify.heading).toBeVisible();
      await page.goBack();
      const login = new LoginRoute(page);
      await expect(login.email).toHaveValue(email);
      await login.continueButton.click();
      await expect(verify.heading).toBeVisible();
      await expect(verify.resendIn).toBeDisabled();
      expect(await serviceHere.mailbox.count(email)).toBe(1);
      await verify.type(code);
      await expect(new ConnectRoute(page).heading).toBeVisible();
    });
});
