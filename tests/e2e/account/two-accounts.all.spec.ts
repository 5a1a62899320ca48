import { expect, test } from '../fixtures.ts';
import { signInByApi } from '../support/service/api-user.ts';
import { openSignedIn } from '../support/tunnel/sign-in.ts';

test('a tab follows when one beside it clears the browser’s storage, and signs in as somebody else at once', async ({
  browserHere,
  serviceHere,
  email,
}) => {
  const other = email.replace('@', '-other@');
  const page = await openSignedIn(browserHere, serviceHere, email);
  const tab = await page.context().newPage();
  await tab.goto(`${serviceHere.consoleUrl}/about-us`);
  const { deviceId, token } = await signInByApi(serviceHere, other);
  await tab.evaluate(
    (entries) => {
      localStorage.clear();
      for (const [key, value] of Object.entries(entries)) localStorage.setItem(key, value);
    },
    { deviceId, token },
  );
  await expect(page.getByRole('main').getByText(other)).toBeVisible();
  await expect(page.getByRole('main').getByText(email)).toHaveCount(0);
});
