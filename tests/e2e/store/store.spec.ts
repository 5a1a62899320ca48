import type { Page } from 'playwright/test';
import { expect, test } from '../fixtures.ts';
import { ConfirmRoute } from '../routes/confirm-route.ts';
import { LoginRoute } from '../routes/login-route.ts';
import { ManageLinks } from '../routes/manage-links.ts';
import { StorePage, WordgatePage } from '../routes/store-pages.ts';
import { VerifyRoute } from '../routes/verify-route.ts';
import { must, signInByApi } from '../support/service/api-user.ts';
import { expectNoViolations } from '../support/screens/axe.ts';
import { makeMember, signInPayer } from '../support/service/payer.ts';
import { plan, type TestService } from '../support/service/service.ts';
import { openSignedIn } from '../support/tunnel/sign-in.ts';
import { texts } from '../support/screens/texts.ts';
import { openConsole } from '../support/service/web-console.ts';

const storage = (page: Page) => page.evaluate(() => JSON.stringify(Object.entries(localStorage)));

/** An app's link to the store, as this machine's browser opens it. */
function here({ consoleUrl }: TestService, link: string | undefined): string {
  const { pathname, hash } = new URL(link ?? '');
  return consoleUrl + pathname + hash;
}

/** A new link of somebody's app. */
async function newLink(service: TestService, email: string): Promise<string> {
  const user = await signInByApi(service, email);
  const { code } = must(await user.call('createHandOver'));
  return `${service.consoleUrl}/store/purchase#hand-over=${code}`;
}

test('who is signed in nowhere chooses a plan, types an email once, signs in, pays and has the plan', async ({
  browserHere,
  serviceHere,
  email,
}) => {
  const page = await openConsole(browserHere, serviceHere, { path: '/store/quick-start' });
  const store = new StorePage(page);
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

  const refusal = { code: 503, msg: 'The service is busy.', data: null };
  await page.route('**/api/store/orders', (route) => route.fulfill({ status: 503, json: refusal }));
  await store.continueButton.click();
  await expect(page.getByRole('alert')).toHaveText('The service is busy.');
  await expect(store.email).toHaveValue(email);
  await page.unroute('**/api/store/orders');
  await store.continueButton.click();

  const login = new LoginRoute(page);
  await expect(login.email).toHaveValue(email);
  await login.continueButton.click();
  await new VerifyRoute(page).type(await serviceHere.mailbox.code(email));
  const wordgate = new WordgatePage(page);
  await wordgate.reached();
  await expect(wordgate.amount('$29.97')).toBeVisible();
  await wordgate.pay.click();
  await expect(new ConfirmRoute(page).heading).toBeVisible();
  await page.goto(`${serviceHere.consoleUrl}/dashboard`);
  await expect(page.getByText(plan.name, { exact: true })).toBeVisible();
});

test('without its offers the store says why, and goes on when it has them; with none it says so', async ({
  browserHere,
  serviceHere,
}) => {
  const page = await openConsole(browserHere, serviceHere);
  const refusal = { code: 503, msg: 'The service is busy.', data: null };
  await page.route('**/api/store/offers', (route) => route.fulfill({ status: 503, json: refusal }));
  await page.goto(`${serviceHere.consoleUrl}/store/purchase`);
  await expect(page.getByRole('alert')).toContainText('The service is busy.');
  await page.unroute('**/api/store/offers');
  await page.getByRole('button', { name: texts.en['error.retry'] }).click();
  await expect(new StorePage(page).continueButton).toBeVisible();

  const data = { items: [], isSandbox: false };
  await page.route('**/api/store/offers', (route) => route.fulfill({ json: { code: 0, msg: '', data } }));
  await page.reload();
  await expect(page.getByText(texts.en['store.empty'])).toBeVisible();
  await expect(page.getByText(texts.en['store.sandbox'])).toHaveCount(0);
  await expect(new StorePage(page).continueButton).toHaveCount(0);
});

test('who comes from the app is known in a browser that knows nobody, pays, and is signed in to nothing', async ({
  signedInHere: app,
  browserHere,
  serviceHere,
  email,
}) => {
  await new ManageLinks(app.page).to('section.purchase').click();
  await expect.poll(() => app.externalLinks()).toHaveLength(1);
  const link = here(serviceHere, (await app.externalLinks())[0]);
  const code = new URL(link).hash.split('=')[1] ?? '';
  expect(code).toHaveLength(43);

  const page = await openConsole(browserHere, serviceHere);
  const told: string[] = [];
  page.on('request', (request) => told.push(request.url(), request.headers()['referer'] ?? ''));
  await page.goto(link);
  const store = new StorePage(page);
  await expect(store.fromApp).toBeVisible();
  await expect(store.buyer(email)).toBeVisible();
  await expect(store.email).toBeHidden();
  expect(page.url()).toBe(`${serviceHere.consoleUrl}/store/purchase`);
  await page.reload();
  await expect(store.fromApp).toBeVisible();

  const stranger = await openConsole(browserHere, serviceHere);
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
  await page.goto(`${serviceHere.consoleUrl}/dashboard`);
  await expect(new LoginRoute(page).heading).toBeVisible();
});

test('a link takes nobody’s place: who is signed in as somebody else chooses, and stays signed in', async ({
  browserHere,
  serviceHere,
  email,
}) => {
  const other = email.replace('@', '-other@');
  const page = await openSignedIn(browserHere, serviceHere, email);
  const tokenBefore = await page.evaluate(() => localStorage.getItem('token'));
  const store = new StorePage(page);

  await page.goto(await newLink(serviceHere, other));
  await expect(store.whose).toBeVisible();
  await expect(store.continueButton).toHaveCount(0);
  await store.buyFor(other).click();
  await expect(store.buyer(other)).toBeVisible();
  await expect(store.fromApp).toBeVisible();

  // In the tab that has the store already, it changes nothing but what is behind the #.
  await page.goto(await newLink(serviceHere, other));
  await expect(store.whose).toBeVisible();
  await store.buyFor(email).click();
  await expect(store.buyer(email)).toBeVisible();
  await expect(store.signedIn).toBeVisible();
  await page.reload();
  await expect(store.buyer(email)).toBeVisible();

  const tab = await page.context().newPage();
  await tab.goto(await newLink(serviceHere, other));
  await expect(new StorePage(tab).whose).toBeVisible();
  await page.reload();
  await expect(store.buyer(email)).toBeVisible();
  expect(await page.evaluate(() => localStorage.getItem('token'))).toBe(tokenBefore);
  await tab.goto(await newLink(serviceHere, email));
  await expect(new StorePage(tab).signedIn).toBeVisible();
});

test('who has more members than the plan has seats is told what that costs, also who comes from the app', async ({
  browserHere,
  serviceHere,
  email,
}) => {
  const payer = await signInPayer(serviceHere, email);
  for (const name of ['one', 'two']) await makeMember(payer, email.replace('@', `-${name}@`), serviceHere);
  const page = await openSignedIn(browserHere, serviceHere, email);
  const offer = { days: 30, price: 500 };
  const items = [
    { ...offer, id: 'single', title: 'Single', seats: 1 },
    { ...offer, id: 'pair', title: 'Pair', seats: 2 },
  ];
  await page.route('**/api/store/offers', (route) =>
    route.fulfill({ json: { code: 0, msg: '', data: { items, isSandbox: true } } }),
  );
  const store = new StorePage(page);
  const isWarned = async () => {
    await expect(page.getByText(texts.en['store.fewSeatsTitle'])).toBeVisible();
    await expect(page.getByText('after about 15 days instead of 1 month')).toBeVisible();
    await store.duration.selectOption('2 months');
    await expect(page.getByText('after about 1 month instead of 2 months')).toBeVisible();
    await store.plan('Pair').check();
    await expect(page.getByText(texts.en['store.fewSeatsTitle'])).toHaveCount(0);
  };
  await page.goto(`${serviceHere.consoleUrl}/store/purchase`);
  await isWarned();
  await page.evaluate(() => localStorage.clear());
  await page.goto(await newLink(serviceHere, email));
  await expect(store.fromApp).toBeVisible();
  await isWarned();
});

test('a guest is told nothing of an account’s members; its owner is, once signed in and before anything is paid', async ({
  browserHere,
  serviceHere,
  email,
}) => {
  const payer = await signInPayer(serviceHere, email);
  for (const name of ['one', 'two']) await makeMember(payer, email.replace('@', `-${name}@`), serviceHere);
  const codesBefore = await serviceHere.mailbox.countCodes(email);
  const page = await openConsole(browserHere, serviceHere, { path: '/store/purchase' });
  const fewSeats = page.getByText(texts.en['store.fewSeatsTitle']);
  const payments: string[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith('/payments/')) payments.push(request.method());
  });
  await page.route('**/api/orders/*', async (route) => {
    const response = await route.fetch();
    const reply = (await response.json()) as { data: object };
    await route.fulfill({ response, json: { ...reply, data: { ...reply.data, seats: 1 } } });
  });
  const store = new StorePage(page);
  await store.email.fill(email);
  await store.continueButton.click();
  const login = new LoginRoute(page);
  await expect(login.email).toHaveValue(email);
  await expect(fewSeats).toHaveCount(0);
  await login.continueButton.click();
  await new VerifyRoute(page).type(await serviceHere.mailbox.code(email, codesBefore));

  await expect(fewSeats).toBeVisible();
  await expect(page.getByText('after about 15 days instead of 1 month')).toBeVisible();
  await expect(page.getByRole('link', { name: texts.en['pay.otherPlan'] })).toHaveAttribute(
    'href',
    '/purchase',
  );
  await expectNoViolations(page, 'pay-order-few-seats');
  expect(payments).toEqual([]);
  await page.getByRole('button', { name: texts.en['store.submit'] }).click();
  await new WordgatePage(page).reached();
  expect(payments).toEqual(['PATCH']);
});
