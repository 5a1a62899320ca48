import { expect, test } from '../fixtures.ts';
import { AccountRoute } from '../routes/account-route.ts';
import { ManageLinks } from '../routes/manage-links.ts';
import { StorePage } from '../routes/store-pages.ts';
import { payerOf } from '../support/service/payer.ts';

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
});
