import { expect, test } from '../fixtures.ts';
import { ConfirmRoute } from '../routes/store/confirm-route.ts';
import { ManageLinks } from '../routes/manage/manage-links.ts';
import { OrdersRoute } from '../routes/manage/orders-route.ts';
import { PayOrderRoute } from '../routes/store/pay-order-route.ts';
import { PurchaseRoute } from '../routes/store/purchase-route.ts';
import { placeOrder } from '../support/service/place-order.ts';
import { payerOf } from '../support/service/payer.ts';
import { plan } from '../support/service/service.ts';
import { launchSignedIn, openSignedIn } from '../support/tunnel/sign-in.ts';
import { WordgatePage } from '../routes/store/store-pages.ts';

test.describe('spec §2: /orders: the whole page on the desktop', () => {
  test('spec §6: levels: 3 child (member): is not offered to pay an order', async ({
    launchHere,
    serviceHere,
    email,
  }) => {
    const orderId = await placeOrder(serviceHere, email);
    await payerOf(email, serviceHere);

    const { page } = await launchSignedIn(launchHere, serviceHere, email);
    // Until the level is known, nobody is offered anything.
    await expect(page.getByText('Member', { exact: true })).toBeVisible();
    await new ManageLinks(page).to('section.orders').click();
    const orders = new OrdersRoute(page);
    await expect(orders.unpaid).toBeVisible();
    await expect(orders.row(plan.title).getByText('$9.99', { exact: true })).toBeVisible();
    await expect(orders.rows.getByRole('link')).toHaveCount(0);

    const { childOnly } = new PurchaseRoute(page);
    await new PayOrderRoute(page).follow(`?orderId=${orderId}`);
    await expect(childOnly).toBeVisible();
    await new ConfirmRoute(page).follow(`?order_id=${orderId}`);
    await expect(childOnly).toBeVisible();
  });

  test('spec §9: prices shown in USD as cents/100 with 2 decimals, and only an unpaid order leads to /pay/order', async ({
    signedInHere: { page },
    browserHere,
    serviceHere,
    email,
  }) => {
    await new ManageLinks(page).to('section.orders').click();
    const orders = new OrdersRoute(page);
    await expect(orders.heading).toBeFocused();
    await expect(orders.empty).toBeVisible();

    const browser = await openSignedIn(browserHere, serviceHere, email);
    const orderId = await placeOrder(serviceHere, email, 2);
    await new PayOrderRoute(browser).open(`?orderId=${orderId}`);
    await new WordgatePage(browser).reached();
    await orders.open();
    await expect(orders.row(plan.title)).toContainText('2 × $9.99');
    await expect(orders.row(plan.title).getByText('$19.98', { exact: true })).toBeVisible();
    await expect(orders.unpaid).toBeVisible();
    await orders.pay(plan.title).click();
    await expect(new PayOrderRoute(page).heading).toBeVisible();
    expect(new URL(page.url()).pathname).toBe('/pay/order');

    const wordgate = new WordgatePage(browser);
    await wordgate.pay.click();
    await expect(new ConfirmRoute(browser).heading).toBeVisible();
    await orders.open();
    await expect(orders.paid).toBeVisible();
    await expect(orders.unpaid).toBeHidden();
    await expect(orders.rows.getByRole('link')).toHaveCount(0);
  });

  test('on paper, the page has the orders, dark on light, and nothing that only a screen can be used for', async ({
    signedInHere: { page },
    serviceHere,
    email,
  }) => {
    await placeOrder(serviceHere, email, 2);
    const orders = new OrdersRoute(page);
    await new ManageLinks(page).to('section.orders').click();
    await expect(orders.pay(plan.title)).toBeVisible();
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    await expect(orders.heading).toBeVisible();
    await expect(orders.row(plan.title).getByText('$19.98', { exact: true })).toBeVisible();
    await expect(orders.pay(plan.title)).toHaveCount(0);
    await expect(page.getByRole('navigation')).toHaveCount(0);
    expect(await page.evaluate(() => getComputedStyle(document.body).color)).toBe('rgb(19, 32, 27)');
  });
});
