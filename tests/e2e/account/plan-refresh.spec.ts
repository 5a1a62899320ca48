import type { Page } from 'playwright/test';
import { expect } from '../fixtures.ts';
import { keepPagesHere } from '../webview/kept-pages.ts';
import { AccountRoute } from '../routes/account-route.ts';
import { payerOf } from '../support/service/payer.ts';

const test = keepPagesHere();

/** A plan that somebody gets elsewhere holds at once, although answers about it are kept for an hour (spec §9). */

/** What a browser tells a page whose window the user leaves, and comes back to. */
const tell = (page: Page, event: 'blur' | 'focus') =>
  page.evaluate((name) => void dispatchEvent(new Event(name)), event);

test.describe('a plan that is got in another window', () => {
  test('is displayed when the user comes back', async ({ signedInHere: { page }, serviceHere, email }) => {
    const account = new AccountRoute(page);
    await expect(account.noPlan).toBeVisible();
    await tell(page, 'blur');
    await payerOf(email, serviceHere);
    await tell(page, 'focus');
    await expect(account.noPlan).toBeHidden();
    await expect(account.active).toBeVisible();
  });

  test('is displayed when the user asks, who is told so', async ({
    signedInHere: { page },
    serviceHere,
    email,
  }) => {
    const account = new AccountRoute(page);
    await expect(account.noPlan).toBeVisible();
    await payerOf(email, serviceHere);
    await account.refresh.click();
    await expect(account.refreshed).toBeVisible();
    await expect(account.active).toBeVisible();
    await serviceHere.stop();
    try {
      await account.refresh.click();
      await expect(account.refreshFailed).toBeVisible();
      await expect(account.active).toBeVisible();
    } finally {
      await serviceHere.start();
    }
  });
});
