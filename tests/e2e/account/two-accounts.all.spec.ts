import { expect, test } from '../fixtures.ts';
import { AccountRoute } from '../routes/account/account-route.ts';
import { askForCode } from '../routes/account/ask-for-code.ts';
import { signInByApi } from '../support/service/api-user.ts';
import { openSignedIn, deviceLogin } from '../support/tunnel/sign-in.ts';
import { StorePage } from '../routes/store/store-pages.ts';
import { texts } from '../support/screens/texts.ts';

const text = texts.en;

test('whoever signs in where a session was lost without a sign-out sees nothing of the account before', async ({
  browserHere,
  serviceHere,
  email,
}) => {
  const other = email.replace('@', '-other@');
  const page = await openSignedIn(browserHere, serviceHere, email);
  const account = page.getByRole('main');
  await expect(account.getByText(email)).toBeVisible();
  await page.evaluate(() => localStorage.removeItem('token'));
  await page.goto(`${serviceHere.consoleUrl}/login`);
  const { verify, code } = await askForCode(page, serviceHere, other);
  expect(await page.evaluate(() => localStorage.getItem('user'))).toContain(email);
  await verify.type(code);
  await expect(new AccountRoute(page).heading).toBeVisible();
  await expect(account.getByText(other)).toBeVisible();
  await expect(account.getByText(email)).toHaveCount(0);
});

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

test('tabs follow when a tab beside them changes accounts, and do nothing to the new one that was meant for the old', async ({
  browserHere,
  serviceHere,
  email,
}) => {
  const other = email.replace('@', '-other@');
  const page = await openSignedIn(browserHere, serviceHere, email);
  const newTab = async (path: string) => {
    const opened = page.context().waitForEvent('page');
    // By the page, as a link does it: such tabs share a process, and learn late what the other has stored.
    await page.evaluate((to) => void window.open(to), path);
    return await opened;
  };
  await page.goto(`${serviceHere.consoleUrl}/self-delete`);
  for (const step of ['confirm', 'warn'] as const) {
    await expect(page.getByText(text[`selfDelete.${step}Title`])).toBeVisible();
    await page.getByRole('button', { name: text['selfDelete.continue'] }).click();
  }
  await expect(page.getByText(text['selfDelete.finalTitle'])).toBeVisible();
  const shop = await newTab('/store/purchase');
  await expect(new StorePage(shop).buyer(email)).toBeVisible();

  const tab = await newTab(await deviceLogin(serviceHere, other));
  await tab.getByRole('button', { name: text['deviceLogin.signInInstead'] }).click();
  await expect(tab.getByRole('main').getByText(other)).toBeVisible();
  await expect(page.getByText(text['selfDelete.finalTitle'])).toHaveCount(0);
  await expect(page.getByRole('main').getByText(other)).toBeVisible();
  await expect(new StorePage(shop).buyer(other)).toBeVisible();
});
