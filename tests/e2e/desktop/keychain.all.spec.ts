import path from 'node:path';
import { expect, test } from '../fixtures.ts';
import { AccountRoute } from '../routes/account/account-route.ts';
import { ConnectRoute } from '../routes/connect/connect-route.ts';
import { LoginRoute } from '../routes/account/login-route.ts';
import { LogoutRoute } from '../routes/account/logout-route.ts';
import { Tabs } from '../routes/frame/tabs.ts';
import { eventually } from '../../lab/runs/process.ts';
import { untilDrawn } from '../support/host/ask-host.ts';
import { filesThatHold } from '../support/machine/files-that-hold.ts';
import { openConnectTab } from '../support/tunnel/connect.ts';
import { signIn } from '../support/tunnel/sign-in.ts';

test('with a gnome-keyring the session outlives a restart, and signing out removes it from the keyring', async ({
  launchHere,
  serviceHere,
  email,
  directory,
  keyring,
}) => {
  const first = await launchHere({ env: keyring.env });
  await signIn(first.page, serviceHere, email);
  const token = await eventually('the session is kept', async () => (await keyring.secrets()).at(0));
  await untilDrawn(first.page);
  await expect(new AccountRoute(first.page).keptInMemory).toBeHidden();
  expect(token.length).toBeGreaterThan(20);
  await first.quit();
  expect(await filesThatHold(path.join(directory, 'app'), token)).toEqual([]);

  const second = await launchHere({ env: keyring.env });
  const connect = new ConnectRoute(second.page);
  await expect(connect.heading, 'the app opens where one connects').toBeVisible();
  await new Tabs(second.page).account.click();
  const account = new AccountRoute(second.page);
  await expect(second.page.getByText(email)).toBeVisible();
  expect(second.output()).not.toContain(token);

  await account.signOut.click();
  await new LogoutRoute(second.page).confirm.click();
  await expect(new LoginRoute(second.page).heading).toBeVisible();
  await expect.poll(() => keyring.secrets()).toEqual([]);
  await second.quit();
  expect(await filesThatHold(path.join(directory, 'app'), token)).toEqual([]);
});

test('without a keychain the session is in memory only, and the user is told until they put the notice away', async ({
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
    await untilDrawn(app.page);
    await expect(again.keptInMemory).toHaveCount(isTold ? 1 : 0);
    await app.quit();
  };
  await expectTold(false, {});

  await expectTold(false, keyring.env);
  await expectTold(true, {});
});
