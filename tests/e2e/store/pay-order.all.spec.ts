import { expect, test } from '../fixtures.ts';
import { ConfirmRoute } from '../routes/store/confirm-route.ts';
import { PayOrderRoute } from '../routes/store/pay-order-route.ts';
import { WordgatePage } from '../routes/store/store-pages.ts';
import { openPayment, placeOrder } from '../support/service/place-order.ts';
import { tabTo } from '../support/screens/keyboard.ts';
import { plan } from '../support/service/service.ts';
import { texts } from '../support/screens/texts.ts';
import type { Page } from 'playwright/test';
import { AccountRoute } from '../routes/account/account-route.ts';
import { buy } from '../support/service/buy.ts';
import { arriveSignedIn, openSignedIn } from '../support/tunnel/sign-in.ts';

/** Until when the plan on the dashboard lasts, in days since the Unix epoch. */
async function expires(page: Page): Promise<number> {
  const date = page
    .locator('dl > div')
    .filter({ has: page.getByRole('term').filter({ hasText: /^Expires$/ }) })
    .getByRole('definition');
  return Math.round(Date.parse(`${await date.innerText()} UTC`) / 86_400_000);
}
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

test.describe("spec §2: /pay/order?orderId: payment preparation, which redirects to the provider's pay URL", () => {
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

  test('spec §4: the order is loaded, and /dashboard shown if isPaid', async ({
    signedInConsole: page,
    serviceHere,
    email,
  }) => {
    const orderId = await openPayment(page, serviceHere, email);
    await new WordgatePage(page).pay.click();
    await expect(new ConfirmRoute(page).heading).toBeVisible();
    await new PayOrderRoute(page).open(`?orderId=${orderId}`);
    await expect(new AccountRoute(page).heading).toBeVisible();
  });

  test('one that was paid elsewhere, before its payment could be prepared here, leads to /dashboard, too', async ({
    signedInConsole: page,
    serviceHere,
    email,
  }) => {
    const orderId = await placeOrder(serviceHere, email);
    await page.route('**/payments/', (route) => route.abort());
    const order = new PayOrderRoute(page);
    await order.open(`?orderId=${orderId}`);
    await expect(order.failed).toBeVisible();

    const elsewhere = await page.context().newPage();
    await elsewhere.goto(page.url());
    await new WordgatePage(elsewhere).pay.click();
    await expect(new ConfirmRoute(elsewhere).heading).toBeVisible();
    await page.unroute('**/payments/');
    await order.retry.click();
    await expect(new AccountRoute(page).heading).toBeVisible();
  });

  test('spec §8: code 404 on order load: go to /dashboard, without a message', async ({
    signedInConsole: page,
    serviceHere,
    email,
  }) => {
    const others = await placeOrder(serviceHere, `other-${email}`);
    const account = new AccountRoute(page);
    for (const query of [`?orderId=${others}`, '?orderId=no%2Fsuch', '?orderId=', '']) {
      await new PayOrderRoute(page).open(query);
      await expect(account.noPlan, query).toBeVisible();
      await expect(page, query).toHaveURL(/\/dashboard$/);
      await expect(page.locator('[aria-live=assertive]'), query).toBeEmpty();
    }
  });

  test('on the desktop the browser of the system pays, and the app confirms when the user is back', async ({
    browserHere,
    launchHere,
    serviceHere,
    email,
  }) => {
    const browser = await openSignedIn(browserHere, serviceHere, email);
    const orderId = await openPayment(browser, serviceHere, email);
    const app = await launchHere();
    const { page } = app;
    await arriveSignedIn(page, serviceHere, email);
    const order = new PayOrderRoute(page);
    await order.open(`?orderId=${orderId}`);
    await expect(order.outside).toBeVisible();
    await expect.poll(() => app.externalLinks()).toEqual([browser.url()]);

    await new WordgatePage(browser).pay.click();
    await expect(new ConfirmRoute(browser).heading).toBeVisible();
    await order.havePaid.click();
    const confirm = new ConfirmRoute(page);
    await expect(confirm.heading).toBeVisible();
    await confirm.continueNow.click();
    await expect(page.getByText(plan.name, { exact: true })).toBeVisible();
  });
});

test('spec §4: otherwise the payment intent is created and the browser goes to the pay URL, which extends the plan', async ({
  signedInConsole: page,
}) => {
  const account = new AccountRoute(page);
  await expect(account.noPlan).toBeVisible();

  await buy(page, 2);
  const wordgate = new WordgatePage(page);
  await expect(wordgate.amount('$19.98')).toBeVisible();
  await wordgate.pay.click();
  const confirm = new ConfirmRoute(page);
  await expect(confirm.heading).toBeVisible();
  await confirm.continueNow.click();
  await expect(account.heading).toBeVisible();
  await expect(account.noPlan).toBeHidden();
  await expect(page.getByText(plan.name, { exact: true })).toBeVisible();
  const first = await expires(page);
  await page.reload();
  expect(await expires(page)).toBe(first);

  await buy(page);
  await wordgate.pay.click();
  await confirm.continueNow.click();
  await expect(account.heading).toBeVisible();
  await expect.poll(async () => (await expires(page)) - first, { message: 'days more' }).toBe(30);
});
