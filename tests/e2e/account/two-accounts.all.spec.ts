import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from '../fixtures.ts';
import { AccountRoute } from '../routes/account/account-route.ts';
import { askForCode } from '../routes/account/ask-for-code.ts';
import { VerifyRoute } from '../routes/account/verify-route.ts';
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

test('whoever signs in again in one tab is not signed out by another, to which their earlier token is refused first', async ({
  browserHere,
  serviceHere,
  email,
}) => {
  const page = await openSignedIn(browserHere, serviceHere, email);
  const codesBefore = await serviceHere.mailbox.countCodes(email);
  const authId = await page.evaluate(async (to) => {
    const device = { deviceId: localStorage.getItem('deviceId'), deviceName: 'Web' };
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ email: to, ...device });
    const reply = await fetch('/api/get-auth-code', { method: 'POST', headers, body });
    return ((await reply.json()) as { data: { authId: string } }).data.authId;
  }, email);
  const tab = await page.context().newPage();
  const query = new URLSearchParams({ email, authId, next: '/dashboard' });
  await tab.goto(`${serviceHere.consoleUrl}/auth-verify?${query.toString()}`);
  await tab.route('**/api/auth', async (route) => {
    const refusal = page.waitForResponse((reply) => reply.status() === 401);
    const response = await route.fetch();
    await refusal;
    // Whoever acts on it at once does so by now.
    await delay(500);
    await route.fulfill({ response });
  });
  const verify = new VerifyRoute(tab);
  await verify.type(await serviceHere.mailbox.code(email, codesBefore));
  await expect(verify.success).toBeVisible();
  for (const one of [tab, page]) await expect(one.getByRole('main').getByText(email)).toBeVisible();
});
