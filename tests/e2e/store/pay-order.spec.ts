import type { Page } from 'playwright/test';
import { expect } from '../fixtures.ts';
import { keepPagesHere } from '../webview/kept-pages.ts';
import { AccountRoute } from '../routes/account-route.ts';
import { ConfirmRoute } from '../routes/confirm-route.ts';
import { PayOrderRoute } from '../routes/pay-order-route.ts';
import { WordgatePage } from '../routes/store-pages.ts';
import { buy } from '../support/service/buy.ts';
import { openPayment, placeOrder } from '../support/service/place-order.ts';
import { plan } from '../support/service/service.ts';
import { arriveSignedIn, openSignedIn } from '../support/tunnel/sign-in.ts';

const test = keepPagesHere();

test('spec §4: otherwise the payment intent is created and the browser redirects to the pay URL: buy, pay, confirm: the plan is extended, without any network but the service', async ({
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
  await expect(confirm.successToast).toBeVisible();
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

test('spec §4: payment confirm: failed (message with a back link) when the payment is declined, with a message and a back link; paying again succeeds', async ({
  signedInConsole: page,
  serviceHere,
  email,
}) => {
  await openPayment(page, serviceHere, email);
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
});

test.describe("spec §2: /pay/order?orderId: payment preparation; redirects to the provider's pay URL", () => {
  test('spec §4: the order is loaded; if isPaid, go to /dashboard', async ({
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

/** Until when the plan on the dashboard lasts, in days since the Unix epoch. */
async function expires(page: Page): Promise<number> {
  const date = page
    .locator('dl > div')
    .filter({ has: page.getByRole('term').filter({ hasText: /^Expires$/ }) })
    .getByRole('definition');
  return Math.round(Date.parse(`${await date.innerText()} UTC`) / 86_400_000);
}
