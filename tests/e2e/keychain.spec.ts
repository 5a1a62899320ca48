import path from 'node:path';
import { expect, test } from './fixtures.ts';
import { AccountRoute } from './routes/account-route.ts';
import { LoginRoute } from './routes/login-route.ts';
import { LogoutRoute } from './routes/logout-route.ts';
import { filesThatHold } from './support/files-that-hold.ts';
import { signIn } from './support/sign-in.ts';

test('with a gnome-keyring the session outlives a restart; signing out removes it from the keyring', async ({
  launchHere,
  serviceHere,
  email,
  directory,
  keyring,
}) => {
  const first = await launchHere({ env: keyring.env });
  await signIn(first.page, serviceHere, email);
  await expect(new AccountRoute(first.page).keptInMemory).toBeHidden();
  const [token = ''] = await keyring.secrets();
  expect(token.length).toBeGreaterThan(20);
  await first.quit();
  expect(await filesThatHold(path.join(directory, 'app'), token)).toEqual([]);

  const second = await launchHere({ env: keyring.env });
  const account = new AccountRoute(second.page);
  await expect(account.heading).toBeVisible();
  await expect(second.page.getByText(email)).toBeVisible();
  expect(second.output()).not.toContain(token);

  await account.signOut.click();
  await new LogoutRoute(second.page).confirm.click();
  await expect(new LoginRoute(second.page).heading).toBeVisible();
  await expect.poll(() => keyring.secrets()).toEqual([]);
  await second.quit();
  expect(await filesThatHold(path.join(directory, 'app'), token)).toEqual([]);
});

test('without a keychain the session is in memory only, and the user is told', async ({
  signedInHere: first,
  launchHere,
}) => {
  await expect(new AccountRoute(first.page).keptInMemory).toBeVisible();
  await first.quit();

  const second = await launchHere();
  await expect(new LoginRoute(second.page).heading).toBeVisible();
  await second.quit();
});
