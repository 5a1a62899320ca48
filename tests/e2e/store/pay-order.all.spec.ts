import { expect, test } from '../fixtures.ts';
import { ConfirmRoute } from '../routes/confirm-route.ts';
import { PayOrderRoute } from '../routes/pay-order-route.ts';
import { WordgatePage } from '../routes/store-pages.ts';
import { openPayment, placeOrder } from '../support/service/place-order.ts';
import { tabTo } from '../support/screens/keyboard.ts';
import { plan } from '../support/service/service.ts';
import { texts } from '../support/screens/texts.ts';

test('an answer that is lost at the pay button: the page asks again, says that it is paid, and leads on', async ({
  signedInConsole: page,
  serviceHere,
  email,
}) => {
  await openPayment(page, serviceHere, email);
  const wordgate = new WordgatePage(page);
  await page.route('**/api/wordgate/payments/*', async (route) => {
    if (route.request().method() !== 'POST') return route.continue();
    await route.fetch();
    return route.abort();
  });
  await wordgate.pay.click();
  await expect(page.getByText(texts.en['error.network'])).toBeVisible();
  await expect(page.getByText(texts.en['wordgate.paid'])).toBeVisible();
  await expect(wordgate.pay).toHaveCount(0);
  await page.getByRole('link', { name: texts.en['wordgate.continue'] }).click();
  await expect(new ConfirmRoute(page).heading).toBeVisible();
});

test('not paid yet: the confirmation says so, and checking again later succeeds', async ({
  signedInConsole: page,
  serviceHere,
  email,
}) => {
  const orderId = await openPayment(page, serviceHere, email);
  const payment = page.url();
  const confirm = new ConfirmRoute(page);
  await confirm.open(`?order_id=${orderId}`);
  await expect(confirm.failed).toBeVisible();

  const elsewhere = await page.context().newPage();
  await elsewhere.goto(payment);
  await new WordgatePage(elsewhere).pay.click();
  await expect(new ConfirmRoute(elsewhere).heading).toBeVisible();
  await confirm.checkAgain.click();
  // The button that had the focus is gone.
  await expect(confirm.heading).toBeFocused();
});

test.describe("spec §2: /pay/order?orderId: payment preparation; redirects to the provider's pay URL", () => {
  test('spec §9: prices shown in USD as cents/100 with 2 decimals', async ({
    signedInConsole: page,
    serviceHere,
    email,
  }) => {
    const orderId = await placeOrder(serviceHere, email, 3);
    await page.route('**/payments/', (route) => route.abort());
    const order = new PayOrderRoute(page);
    await order.open(`?orderId=${orderId}`);
    await expect(order.fact('pay.item')).toHaveText(plan.title);
    await expect(order.fact('pay.price')).toHaveText('$9.99');
    await expect(order.fact('pay.quantity')).toHaveText('3');
    await expect(order.fact('pay.total')).toHaveText('$29.97');
  });

  test('an order that could not be loaded is loaded again by keyboard, and the focus is at the heading then', async ({
    signedInConsole: page,
    serviceHere,
    email,
  }) => {
    const orderId = await placeOrder(serviceHere, email);
    await page.route('**/payments/', (route) => route.abort());
    await page.route('**/api/orders/*', (route) => route.fulfill({ status: 500, body: '' }));
    const order = new PayOrderRoute(page);
    await order.open(`?orderId=${orderId}`);
    await tabTo(order.retry);
    await page.unroute('**/api/orders/*');
    await page.keyboard.press('Enter');
    await expect(order.fact('pay.item')).toHaveText(plan.title);
    await expect(order.heading).toBeFocused();
  });

  test('a pay_url that is not safe is refused', async ({ signedInConsole: page, serviceHere, email }) => {
    const orderId = await placeOrder(serviceHere, email);
    let hostile = '';
    await page.route('**/payments/', (route) =>
      route.fulfill({
        json: { code: 0, msg: '', data: { amount: 999, currency: 'USD', extra: { pay_url: hostile } } },
      }),
    );
    const order = new PayOrderRoute(page);
    for (hostile of [
      'javascript:document.title="harmed"',
      'data:text/html,<h1>harmed</h1>',
      'http://pay.example/',
      'https://pay.example@evil.example/',
      '//evil.example/',
    ]) {
      await order.open(`?orderId=${orderId}`);
      await expect(order.refused, hostile).toBeVisible();
      await expect(order.openPayment, hostile).toBeHidden();
      await expect(order.heading, hostile).toBeVisible();
      await expect(page, hostile).not.toHaveTitle('harmed');
    }
  });
});
