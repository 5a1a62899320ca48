import type { Page } from 'playwright/test';
import { expect } from '../fixtures.ts';
import { keepPagesHere } from '../webview/kept-pages.ts';
import { ConnectRoute } from '../routes/connect-route.ts';
import { LoginRoute } from '../routes/login-route.ts';
import { NotFoundRoute } from '../routes/not-found-route.ts';
import { VerifyRoute } from '../routes/verify-route.ts';
import { texts } from '../support/screens/texts.ts';

const test = keepPagesHere();

test('sign-in works by the keyboard alone, and the focus is always somewhere useful', async ({
  launchHere,
  serviceHere,
  email,
}) => {
  const { page } = await launchHere();
  await expect(new LoginRoute(page).email).toBeFocused();
  await page.keyboard.type(email);
  await page.keyboard.press('Enter');
  const verify = new VerifyRoute(page);
  await expect(verify.digits.first()).toBeFocused();
  await page.keyboard.type(await serviceHere.mailbox.code(email));
  const connect = new ConnectRoute(page);
  await expect(connect.heading).toBeVisible();
  await expect(connect.heading).toBeFocused();
  // From there on Tab reaches everything that can be pressed: the rest of the page, and round to its beginning.
  const reached: string[] = [];
  const skip = texts.en['shell.skip'];
  while (!(reached.includes(skip) && reached.at(-1) === 'Account') && reached.length < 80) {
    await page.keyboard.press('Tab');
    reached.push(await page.evaluate(() => document.activeElement?.textContent ?? ''));
  }
  expect(reached).toEqual(expect.arrayContaining(['Connect', 'Mini apps', 'Account', skip]));
});

test('the skip link comes first and leads into the page', async ({ openedConsole: page }) => {
  // A page whose own content does not ask for the focus.
  const notFound = new NotFoundRoute(page);
  await notFound.open();
  await expect(notFound.heading).toBeVisible();
  await page.keyboard.press('Tab');
  await expect(page.getByRole('link', { name: texts.en['shell.skip'] })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('main')).toBeFocused();
});

/** Live regions; one that comes into the page together with its text may go unread, so it has to be there before. */
const polite = (page: Page) => page.locator('[aria-live="polite"]');
const assertive = (page: Page) => page.locator('[aria-live="assertive"]');

test('a failure toast is announced at once, and a success toast politely, which goes by itself', async ({
  launchHere,
  serviceHere,
  email,
}) => {
  const { page } = await launchHere();
  await expect(assertive(page)).toHaveCount(1);
  await expect(polite(page)).toHaveCount(1);
  await serviceHere.stop();
  try {
    await new LoginRoute(page).askForCode(email);
    await expect(assertive(page).getByText(/please retry/)).toBeVisible();
  } finally {
    await serviceHere.start();
  }
  await new LoginRoute(page).continueButton.click();
  await new VerifyRoute(page).type(await serviceHere.mailbox.code(email));
  const toast = polite(page).getByText(texts.en['verify.success']);
  await expect(toast).toBeVisible();
  await expect(toast).toBeHidden();
});
