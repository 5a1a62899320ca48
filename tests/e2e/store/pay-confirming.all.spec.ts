import { expect, test } from '../fixtures.ts';
import { ConfirmRoute } from '../routes/store/confirm-route.ts';
import { PurchaseRoute } from '../routes/store/purchase-route.ts';
import { StorePage } from '../routes/store/store-pages.ts';

test.describe('spec §2: /pay/confirming?order_id: payment result', () => {
  test('the desktop app tells the same', async ({ signedInHere: { page } }) => {
    const confirm = new ConfirmRoute(page);
    await confirm.open();
    await expect(confirm.error).toBeVisible();
    await expect(new PurchaseRoute(page).outside).toBeVisible();
    await confirm.open('?order_id=no-such-order');
    await expect(confirm.failed).toBeVisible();
    await expect(confirm.why).not.toBeEmpty();
    // There is nothing to pay, or to wait for.
    await expect(confirm.back).toBeVisible();
    await expect(confirm.payAgain.or(confirm.checkAgain)).toHaveCount(0);
  });

  test("spec §5: without order_id it shows 'error during payment confirmation' and goes to /quick-start", async ({
    signedInConsole: page,
  }) => {
    // A browser that is answered 204 stays on its page (RFC 9110 §15.3.5): the store would take it away.
    let leavings = 0;
    await page.route('**/store/**', (route) => {
      leavings += 1;
      return route.fulfill({ status: 204 });
    });
    const confirm = new ConfirmRoute(page);
    for (const [before, query] of ['', '?order_id='].entries()) {
      await confirm.open(query);
      await expect(confirm.error).toBeVisible();
      await expect(new PurchaseRoute(page).heading).toBeVisible();
      await expect.poll(() => leavings).toBe(before + 1);
    }
    await page.unroute('**/store/**');
    await new PurchaseRoute(page).openAgain.click();
    await expect(new StorePage(page).heading).toBeVisible();
  });
});
