import { expect, test } from '../fixtures.ts';
import { AccountRoute } from '../routes/account-route.ts';
import { LoginRoute } from '../routes/login-route.ts';
import { VerifyRoute } from '../routes/verify-route.ts';

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
});
