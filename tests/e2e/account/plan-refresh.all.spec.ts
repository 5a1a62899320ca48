import { expect, test } from '../fixtures.ts';
import { AccountRoute } from '../routes/account/account-route.ts';
import { ManageLinks } from '../routes/manage/manage-links.ts';
import { StorePage } from '../routes/store/store-pages.ts';
import { payerOf } from '../support/service/payer.ts';
import type { Page } from 'playwright/test';

/** A plan that somebody gets elsewhere holds at once, although answers about it are kept for an hour (spec §9). */

/** What a browser tells a page whose window the user leaves, and comes back to. */
const tell = (page: Page, event: 'blur' | 'focus') =>
  page.evaluate((name) => void dispatchEvent(new Event(name)), event);
/** A plan that somebody gets elsewhere holds at once, although answers about it are kept for an hour (spec §9). */

test.describe('a plan that is got in another window', () => {
  test('is displayed on the web to who left for the shop and opens the console again', async ({
    signedInConsole: page,
    serviceHere,
    email,
  }) => {
    const account = new AccountRoute(page);
    await expect(account.noPlan).toBeVisible();
    await new ManageLinks(page).to('section.purchase').click();
    await expect(new StorePage(page).heading).toBeVisible();
    await payerOf(email, serviceHere);
    await account.open();
    await expect(account.active).toBeVisible();
    await expect(account.noPlan).toBeHidden();
  });

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
