import { expect } from '../fixtures.ts';
import { keepPagesHere } from '../webview/kept-pages.ts';
import { AccountRoute } from '../routes/account-route.ts';
import { LoginRoute } from '../routes/login-route.ts';
import { VerifyRoute } from '../routes/verify-route.ts';
import { WebNoticeRoute } from '../routes/web-notice-route.ts';
import { signIn } from '../support/tunnel/sign-in.ts';

const test = keepPagesHere();

test.describe('the same pages as the web console', () => {
  test('spec §2: / needs login; redirects to /dashboard; /login shows a version string on the web; a logged-in user is redirected to /dashboard; /vpn redirects to /; the session lasts over a reload; no violation of the Content-Security-Policy', async ({
    openedConsole: page,
    serviceHere,
    email,
  }) => {
    const complaints: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(error.message));
    await page.reload();
    await expect(page).toHaveURL(/\/login$/);
    await expect(new LoginRoute(page).version).toBeVisible();
    await signIn(page, serviceHere, email);
    await expect(page.getByText(email)).toBeVisible();
    await expect(new AccountRoute(page).keptInMemory).toBeHidden();
    for (const path of ['/', '/login', '/vpn']) {
      await page.goto(serviceHere.consoleUrl + path);
      await expect(new AccountRoute(page).heading).toBeVisible();
      await expect(page).toHaveURL(/\/dashboard$/);
    }
    await page.reload();
    await expect(page.getByText(email)).toBeVisible();
    await new WebNoticeRoute(page, '/apps').open();
    await expect(new WebNoticeRoute(page, '/apps').heading).toBeVisible();
    expect(complaints).toEqual([]);
  });

  test('spec §6: routes under / require authentication; otherwise redirect to /login with a return state', async ({
    openedConsole: page,
    serviceHere,
    email,
  }) => {
    const notice = new WebNoticeRoute(page, '/orders');
    await notice.open();
    await expect(page).toHaveURL(/\/login$/);
    await new LoginRoute(page).askForCode(email);
    await new VerifyRoute(page).type(await serviceHere.mailbox.code(email));
    await expect(notice.heading).toBeVisible();
  });
});
