import { expect, test } from '../fixtures.ts';
import { AccountRoute } from '../routes/account-route.ts';
import { LoginRoute } from '../routes/login-route.ts';
import { openConnectTab } from '../support/tunnel/connect.ts';
import { signIn } from '../support/tunnel/sign-in.ts';

test('without a keychain the session is in memory only; the user is told, once they have put it away not again until there was one', async ({
  signedInHere: first,
  launchHere,
  serviceHere,
  email,
  keyring,
}) => {
  const account = new AccountRoute(first.page);
  await expect(account.keptInMemory).toBeVisible();
  await account.putAwayNotice.click();
  await expect(account.keptInMemory).toBeHidden();
  await expect(account.heading).toBeFocused();
  const connect = await openConnectTab(first.page);
  await expect(connect.serverButton).toBeVisible();
  await expect(account.keptInMemory).toBeHidden();
  await first.quit();

  /** Starts the app once more, and signs in; ends with the app. */
  const expectTold = async (isTold: boolean, env: Record<string, string>) => {
    const app = await launchHere({ env });
    await expect(new LoginRoute(app.page).heading).toBeVisible();
    await signIn(app.page, serviceHere, email);
    const again = new AccountRoute(app.page);
    await expect(again.signOut).toBeVisible();
    await expect(again.keptInMemory).toHaveCount(isTold ? 1 : 0);
    await app.quit();
  };
  await expectTold(false, {});

  await expectTold(false, keyring.env);
  await expectTold(true, {});
});
