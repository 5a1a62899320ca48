import { expect, test } from '../fixtures.ts';
import { AccountRoute } from '../routes/account-route.ts';
import { signIn } from '../support/tunnel/sign-in.ts';

test('an app that can write nowhere what it logs goes on, and quits when it is asked to', async ({
  launchHere,
  serviceHere,
  email,
}) => {
  // Without a helper, it logs from the start.
  const app = await launchHere({ outputFile: '/dev/full' });
  test.skip(app.host === 'electron', "real Electron's output cannot be chosen");
  await signIn(app.page, serviceHere, email);
  await expect(new AccountRoute(app.page).heading).toBeVisible();
  await app.quit();
});
