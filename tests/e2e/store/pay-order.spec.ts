import { expect } from '../fixtures.ts';
import { keepPagesHere } from '../webview/kept-pages.ts';
import { AccountRoute } from '../routes/account-route.ts';
import { ConfirmRoute } from '../routes/confirm-route.ts';
import { PayOrderRoute } from '../routes/pay-order-route.ts';
import { WordgatePage } from '../routes/store-pages.ts';
import { openPayment, placeOrder } from '../support/service/place-order.ts';

const test = keepPagesHere();

test('spec §4: payment confirm: failed (message with a back link) when the payment is declined, with a message and a back link; paying again succeeds; an order that is paid, or not there (spec §8: code 404), leads to /dashboard', async ({
  signedInConsole: page,
  serviceHere,
  email,
}) => {
  const orderId = await openPayment(page, serviceHere, email);
  const wordgate = new WordgatePage(page);
  await wordgate.decline.click();
  const confirm = new ConfirmRoute(page);
  await expect(confirm.failed).toBeVisible();
  await expect(confirm.why).toContainText('declined');
  // It was not paid, and will not be: there is nothing to check again.
  await expect(confirm.checkAgain).toHaveCount(0);
  await confirm.back.click();
  await expect(new AccountRoute(page).noPlan).toBeVisible();

  await page.goBack();
  await confirm.payAgain.click();
  await wordgate.reached();
  await wordgate.pay.click();
  await expect(confirm.heading).toBeVisible();

  for (const id of [orderId, '00000000-0000-4000-8000-000000000000']) {
    await new PayOrderRoute(page).open(`?orderId=${id}`);
    await expect(new AccountRoute(page).heading).toBeVisible();
    await expect(page).toHaveURL(/\/dashboard$/);
  }
});

test.describe("spec §2: /pay/order?orderId: payment preparation; redirects to the provider's pay URL", () => {
  test('a payment that cannot be made is told in the words of the service, and can be tried again', async ({
    signedInConsole: page,
    serviceHere,
    email,
  }) => {
    const orderId = await placeOrder(serviceHere, email);
    await page.route('**/payments/', (route) =>
      route.fulfill({ status: 422, json: { code: 422, msg: 'Closed for <b>stocktaking</b>', data: null } }),
    );
    const order = new PayOrderRoute(page);
    await order.open(`?orderId=${orderId}`);
    await expect(page.getByText('Closed for <b>stocktaking</b>')).toBeVisible();
    await expect(order.failed).toBeVisible();
    await page.unroute('**/payments/');
    await order.retry.click();
    await new WordgatePage(page).reached();
  });
});
