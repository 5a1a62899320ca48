import type { Page } from 'playwright/test';
import { AccountRoute } from '../routes/account/account-route.ts';
import { ConfirmRoute } from '../routes/store/confirm-route.ts';
import { LoginRoute } from '../routes/account/login-route.ts';
import { ManageLinks } from '../routes/manage/manage-links.ts';
import { PayOrderRoute } from '../routes/store/pay-order-route.ts';
import { StorePage, WordgatePage } from '../routes/store/store-pages.ts';
import { VerifyRoute } from '../routes/account/verify-route.ts';
import { expectSaid } from '../support/service/announcements.ts';
import { plan } from '../support/service/service.ts';
import { texts } from '../support/screens/texts.ts';
import { openConsole } from '../support/service/web-console.ts';
import { expect, test } from '../webview/webview-fixtures.ts';

const storage = (page: Page) => page.evaluate(() => JSON.stringify(Object.entries(localStorage)));

test('a buyer who is signed in nowhere chooses a plan, signs in, pays and has the plan', async ({
  browserHere,
  serviceHere,
  email,
}) => {
  const page = await openConsole(browserHere, serviceHere, { path: '/store/quick-start' });
  const store = new StorePage(page);
  await test.step('a plan is chosen, and an email typed once', async () => {
    await expect(store.quickStartHeading).toBeVisible();
    await expect(page.getByText(`1 month, for you and 5 members`)).toBeVisible();
    await expect(page.getByText(texts.en['store.sandbox'])).toBeVisible();
    await store.duration.selectOption('3 months');
    await expect(store.total).toHaveText('$29.97');
    for (const wrong of ['', 'nobody']) {
      await store.email.fill(wrong);
      await store.continueButton.click();
      await expect(page.getByText(texts.en['login.emailInvalid'])).toBeVisible();
      await expect(store.email).toBeFocused();
    }
    await store.email.fill(email);
  });

  await test.step('an order that cannot be made is told in the words of the service, and can be tried again', async () => {
    const refusal = { code: 503, msg: 'The service is busy.', data: null };
    await page.route('**/api/store/orders', (route) => route.fulfill({ status: 503, json: refusal }));
    await store.continueButton.click();
    await expect(page.getByRole('alert')).toHaveText('The service is busy.');
    await expect(store.email).toHaveValue(email);
    await page.unroute('**/api/store/orders');
    await store.continueButton.click();
  });

  const login = new LoginRoute(page);
  const order = new PayOrderRoute(page);
  await test.step('spec §2: /pay/order?orderId: payment preparation, which can be tried again, too', async () => {
    await expect(login.email).toHaveValue(email);
    await page.route('**/payments/', (route) =>
      route.fulfill({ status: 422, json: { code: 422, msg: 'Closed for <b>stocktaking</b>', data: null } }),
    );
    await login.continueButton.click();
    const code = await serviceHere.mailbox.code(email);
    await expectSaid(page, 'Closed for <b>stocktaking</b>', () => new VerifyRoute(page).type(code));
    await expect(order.failed).toBeVisible();
    await page.unroute('**/payments/');
    await order.retry.click();
  });

  const wordgate = new WordgatePage(page);
  await test.step("spec §2: /pay/order redirects to the provider's pay URL", async () => {
    await wordgate.reached();
    await expect(wordgate.amount('$29.97')).toBeVisible();
  });
  const confirm = new ConfirmRoute(page);
  const account = new AccountRoute(page);
  await test.step('spec §4: payment confirm: failed (message with a back link) when the payment is declined', async () => {
    await wordgate.decline.click();
    await expect(confirm.failed).toBeVisible();
    await expect(confirm.why).toContainText('declined');
    // It was not paid, and will not be: there is nothing to check again.
    await expect(confirm.checkAgain).toHaveCount(0);
    await confirm.back.click();
    await expect(account.noPlan).toBeVisible();
  });
  await test.step('paying again succeeds', async () => {
    await page.goBack();
    await confirm.payAgain.click();
    await wordgate.reached();
    await wordgate.pay.click();
    await expect(confirm.heading).toBeVisible();
  });
  await test.step('an order that is paid, or not there (spec §8: code 404), leads to /dashboard', async () => {
    const orderId = new URL(page.url()).searchParams.get('order_id') ?? '';
    for (const id of [orderId, '00000000-0000-4000-8000-000000000000']) {
      await order.follow(`?orderId=${id}`);
      await expect(account.heading).toBeVisible();
      await expect(page).toHaveURL(/\/dashboard$/);
    }
  });
  await expect(page.getByText(plan.name, { exact: true })).toBeVisible();
});

test('a buyer who comes from the app is recognised in a browser, pays there, and is signed in to nothing', async ({
  signInInApp,
  browserHere,
  serviceHere,
  email,
}) => {
  const { app, page: pageInApp } = await signInInApp('android');
  await new ManageLinks(pageInApp).to('section.purchase').click();
  await expect.poll(() => app.opened).toHaveLength(1);
  const link = app.opened[0]?.replace(/^browser /, '') ?? '';
  const code = new URL(link).hash.split('=')[1] ?? '';
  expect(code).toHaveLength(43);

  const page = await (await browserHere.newContext()).newPage();
  const told: string[] = [];
  page.on('request', (request) => told.push(request.url(), request.headers()['referer'] ?? ''));
  await page.goto(link);
  const store = new StorePage(page);
  await expect(store.fromApp).toBeVisible();
  await expect(store.buyer(email)).toBeVisible();
  await expect(store.email).toBeHidden();
  await expect(page).toHaveURL(`${serviceHere.consoleUrl}/store/purchase`);
  await page.reload();
  await expect(store.fromApp).toBeVisible();

  const stranger = await (await browserHere.newContext()).newPage();
  await stranger.goto(link);
  const strange = new StorePage(stranger);
  await expect(stranger.getByText(/^This link has been used or has expired/)).toBeVisible();
  await expect(strange.email).toHaveValue('');
  await expect(strange.buyer(email)).toHaveCount(0);

  await store.continueButton.click();
  const wordgate = new WordgatePage(page);
  await wordgate.reached();
  await wordgate.pay.click();
  await expect(page.getByText(texts.en['store.paidText'])).toBeVisible();
  expect(told.join()).not.toContain(code);
  expect(await storage(page)).not.toContain('token');
  await new AccountRoute(page).follow();
  await expect(new LoginRoute(page).heading).toBeVisible();
});
