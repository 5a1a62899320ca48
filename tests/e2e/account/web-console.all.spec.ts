import { expect, test } from '../fixtures.ts';
import { AboutRoute } from '../routes/frame/about-route.ts';
import { AccountRoute } from '../routes/account/account-route.ts';
import { LoginRoute } from '../routes/account/login-route.ts';
import { VerifyRoute } from '../routes/account/verify-route.ts';
import { LogoutRoute } from '../routes/account/logout-route.ts';
import { NotFoundRoute } from '../routes/frame/not-found-route.ts';
import { MoreLinks } from '../routes/account/more-links.ts';
import { WebNoticeRoute, webNoticePaths } from '../routes/frame/web-notice-route.ts';
import { texts } from '../support/screens/texts.ts';
import { withoutEvents } from '../support/service/without-events.ts';

test.describe('the same pages as the web console', () => {
  test('spec §5: the next-redirect parameter is sanitized to a path: /auth-verify never leads out of the console', async ({
    openedConsole: page,
    serviceHere,
    email,
  }) => {
    await new LoginRoute(page).askForCode(email);
    const verify = new VerifyRoute(page);
    await expect(verify.heading).toBeVisible();
    const address = new URL(page.url());
    address.searchParams.set('next', '//elsewhere.example/steal');
    await page.goto(address.href);
    await verify.type(await serviceHere.mailbox.code(email));
    await expect(new AccountRoute(page).heading).toBeVisible();
    expect(page.url()).toContain(serviceHere.consoleUrl);
  });

  test(`spec §2: ${webNoticePaths.join(', ')} on the web show only the notice 'please use the desktop app to manage'`, async ({
    signedInConsole: page,
  }) => {
    await withoutEvents(page.context());
    // The account page may still be asking for what it shows; this one asks for nothing of it.
    const about = new AboutRoute(page);
    await about.open();
    await expect(about.heading).toBeVisible();
    const calls: string[] = [];
    page.on('request', (request) => calls.push(new URL(request.url()).pathname));
    const main = page.getByRole('main');
    for (const path of webNoticePaths) {
      const notice = new WebNoticeRoute(page, path);
      await notice.open();
      await expect(notice.heading).toBeVisible();
      await page.waitForLoadState('networkidle');
      await expect(main.getByRole('heading')).toHaveCount(1);
      await expect(main.getByRole('link')).toHaveText([
        texts.en['shell.dashboard'],
        texts.en['download.title'],
        texts.en['notice.back'],
      ]);
      await expect(main.getByRole('textbox')).toHaveCount(0);
      // Nor is what is managed there asked for.
      expect(
        calls.splice(0).filter((call) => /^\/api\/(devices|orders|group|my-service)/.test(call)),
      ).toEqual([]);
    }
    const notice = new WebNoticeRoute(page, webNoticePaths[0]);
    await notice.open();
    await notice.download.click();
    await expect(new MoreLinks(page).downloadHeading).toBeFocused();
    await page.goBack();
    await notice.back.click();
    await expect(new AccountRoute(page).heading).toBeVisible();
  });

  test('spec §2: /auth-verify: six-digit code entry, of exactly 6 characters to enable verify (spec §5)', async ({
    openedConsole: page,
    serviceHere,
    email,
  }) => {
    await new LoginRoute(page).askForCode(email);
    const verify = new VerifyRoute(page);
    const code = await serviceHere.mailbox.code(email);
    await expect(verify.digits).toHaveCount(6);
    await expect(verify.verifyButton).toBeDisabled();
    await verify.type(code.slice(0, 5));
    await expect(verify.verifyButton).toBeDisabled();
    // A whole code is sent at once, so that the button is seen to be enabled only if that fails.
    await page.route('**/api/auth', (route) => route.abort());
    await page.keyboard.type(code.slice(5));
    await expect(verify.failed).toBeVisible();
    await expect(verify.verifyButton).toBeEnabled();
    await verify.digits.last().press('Backspace');
    await expect(verify.verifyButton).toBeDisabled();
  });

  test("spec §2: a 404 page with a 'back home' button to /dashboard, and a logout confirmation at /logout", async ({
    signedInConsole: page,
  }) => {
    const notFound = new NotFoundRoute(page);
    await notFound.open();
    await expect(notFound.heading).toBeVisible();
    await notFound.backHome.click();
    await expect(page).toHaveURL(/\/dashboard$/);
    await new AccountRoute(page).signOut.click();
    const logout = new LogoutRoute(page);
    await expect(logout.heading).toBeVisible();
    expect(await page.evaluate(() => localStorage.getItem('token'))).not.toBeNull();
    await logout.confirm.click();
    await expect(new LoginRoute(page).heading).toBeVisible();
    await expect.poll(() => page.evaluate(() => localStorage.getItem('token'))).toBeNull();
    await new AccountRoute(page).open();
    await expect(new LoginRoute(page).heading).toBeVisible();
  });
});
