import { expect, test } from '../fixtures.ts';
import { ConfirmRoute } from '../routes/confirm-route.ts';
import { PurchaseRoute } from '../routes/purchase-route.ts';

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
});
