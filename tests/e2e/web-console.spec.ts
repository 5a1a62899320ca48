import { expect, test } from './fixtures.ts';
import { AccountRoute } from './routes/account-route.ts';
import { LoginRoute } from './routes/login-route.ts';
import { LogoutRoute } from './routes/logout-route.ts';
import { NotFoundRoute } from './routes/not-found-route.ts';
import { VerifyRoute } from './routes/verify-route.ts';
import { WebFrame } from './routes/web-frame.ts';
import { WebNoticeRoute, webNoticePaths } from './routes/web-notice-route.ts';
import { signIn } from './support/sign-in.ts';
import { texts } from './support/texts.ts';
import { openConsole } from './support/web-console.ts';

test.describe('the same pages as the web console', () => {
  test('sign-in by mail, the account is shown, and there is no connect tab', async ({
    browserHere,
    serviceHere,
    email,
  }) => {
    const page = await openConsole(browserHere, serviceHere);
    await expect(new LoginRoute(page).version).toBeVisible();
    await expect(new WebFrame(page).login).toBeVisible();
    await signIn(page, serviceHere, email);
    await expect(page.getByText(email)).toBeVisible();
    await expect(new AccountRoute(page).keptInMemory).toBeHidden();
    await expect(page.getByRole('link', { name: texts.en['section.connect'], exact: true })).toHaveCount(0);
    await page.goto(`${serviceHere.consoleUrl}/vpn`);
    await expect(new AccountRoute(page).heading).toBeVisible();
    await page.reload();
    await expect(page.getByText(email)).toBeVisible();
  });

  test('header, breadcrumbs and footer stand around every page, with their links', async ({
    signedInConsole: page,
  }) => {
    const frame = new WebFrame(page);
    await expect(frame.dashboard).toBeVisible();
    for (const section of [
      'devices',
      'service',
      'purchase',
      'orders',
      'members',
      'apps',
      'privacy',
    ] as const) {
      await expect(frame.footerLink(`section.${section}`)).toBeVisible();
    }
    await frame.footerLink('section.orders').click();
    await expect(new WebNoticeRoute(page, '/orders').heading).toBeVisible();
    await expect(frame.breadcrumbs.getByText(texts.en['section.orders'])).toHaveAttribute(
      'aria-current',
      'page',
    );
    await frame.breadcrumbs.getByRole('link', { name: texts.en['shell.dashboard'] }).click();
    await expect(new AccountRoute(page).heading).toBeVisible();
  });

  for (const path of webNoticePaths) {
    test(`${path} shows only 'please use the desktop app to manage'`, async ({ signedInConsole: page }) => {
      const notice = new WebNoticeRoute(page, path);
      await notice.open();
      await expect(notice.heading).toBeVisible();
      await notice.back.click();
      await expect(new AccountRoute(page).heading).toBeVisible();
    });
  }

  test('spec §2: / needs login, and redirects to /dashboard; so does /login for a logged-in user', async ({
    browserHere,
    serviceHere,
    email,
  }) => {
    const page = await openConsole(browserHere, serviceHere);
    await expect(page).toHaveURL(/\/login$/);
    await signIn(page, serviceHere, email);
    for (const path of ['/', '/login']) {
      await page.goto(serviceHere.consoleUrl + path);
      await expect(new AccountRoute(page).heading).toBeVisible();
      await expect(page).toHaveURL(/\/dashboard$/);
    }
  });

  test('a protected route asks to sign in, and then leads back to where one wanted to go', async ({
    browserHere,
    serviceHere,
    email,
  }) => {
    const page = await openConsole(browserHere, serviceHere);
    const notice = new WebNoticeRoute(page, '/orders');
    await notice.open();
    await new LoginRoute(page).askForCode(email);
    await new VerifyRoute(page).type(await serviceHere.mailbox.code(email));
    await expect(notice.heading).toBeVisible();
  });

  test('next never leads out of the console', async ({ browserHere, serviceHere, email }) => {
    const page = await openConsole(browserHere, serviceHere);
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

  test('a session that the service ended leads to /login and leaves nothing of it behind', async ({
    signedInConsole: page,
  }) => {
    await page.evaluate(() => {
      for (const key of Object.keys(localStorage)) {
        if (/token/i.test(key)) localStorage.setItem(key, 'no-longer-valid');
      }
    });
    await page.reload();
    await expect(new LoginRoute(page).heading).toBeVisible();
    const left = await page.evaluate(() => Object.values(localStorage).join('\n'));
    expect(left).not.toContain('no-longer-valid');
  });

  test('sign-out forgets the token, and the 404 page leads back home', async ({ signedInConsole: page }) => {
    const notFound = new NotFoundRoute(page);
    await notFound.open();
    await notFound.backHome.click();
    await new AccountRoute(page).signOut.click();
    await new LogoutRoute(page).confirm.click();
    await expect(new LoginRoute(page).heading).toBeVisible();
    await new AccountRoute(page).open();
    await expect(new LoginRoute(page).heading).toBeVisible();
  });

  test('the console keeps to its Content-Security-Policy: no violation on any page', async ({
    browserHere,
    serviceHere,
    email,
  }) => {
    const page = await openConsole(browserHere, serviceHere);
    const complaints: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(error.message));
    await page.reload();
    await signIn(page, serviceHere, email);
    await new WebNoticeRoute(page, '/apps').open();
    await expect(new WebNoticeRoute(page, '/apps').heading).toBeVisible();
    expect(complaints).toEqual([]);
  });
});
