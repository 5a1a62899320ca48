import type { Page } from 'playwright/test';
import { expect, test } from '../fixtures.ts';
import { LoginRoute } from '../routes/account/login-route.ts';
import { LogoutRoute } from '../routes/account/logout-route.ts';
import { StorePage, WordgatePage } from '../routes/store/store-pages.ts';
import { must, signInByApi } from '../support/service/api-user.ts';
import type { TestService } from '../support/service/service.ts';
import { arrived, deviceLogin, openSignedIn } from '../support/tunnel/sign-in.ts';
import { texts } from '../support/screens/texts.ts';
import { openConsole } from '../support/service/web-console.ts';
import { VerifyRoute } from '../routes/account/verify-route.ts';
import { expectNoViolations } from '../support/screens/axe.ts';
import { makeMember, signInPayer } from '../support/service/payer.ts';

/** Signs somebody in who pays for two members. */
async function makeTwoMembers(service: TestService, email: string): Promise<void> {
  const payer = await signInPayer(service, email);
  for (const name of ['one', 'two']) await makeMember(payer, email.replace('@', `-${name}@`), service);
}

/** A new link of somebody's app. */
async function newLink(service: TestService, email: string): Promise<string> {
  const user = await signInByApi(service, email);
  const { code } = must(await user.call('createHandOver'));
  return `${service.consoleUrl}/store/purchase#hand-over=${code}`;
}

test('a visit ends when somebody signs in or out in the browser, also in a tab that is elsewhere meanwhile', async ({
  browserHere,
  serviceHere,
  email,
}) => {
  const other = email.replace('@', '-other@');
  const page = await openConsole(browserHere, serviceHere);
  const newTab = async () => {
    const tab = await page.context().newPage();
    return { tab, store: new StorePage(tab) };
  };
  const [open, away, beside] = [await newTab(), await newTab(), await newTab()];
  for (const { tab, store } of [open, away]) {
    await tab.goto(await newLink(serviceHere, email));
    await expect(store.fromApp).toBeVisible();
  }
  await away.tab.goto('about:blank');
  await beside.tab.goto(serviceHere.consoleUrl + (await deviceLogin(serviceHere, other)));
  await arrived(beside.tab);
  await expect(open.store.buyer(other)).toBeVisible();
  await expect(open.store.fromApp).toHaveCount(0);
  await away.tab.goto(`${serviceHere.consoleUrl}/store/purchase`);
  await expect(away.store.buyer(other)).toBeVisible();

  await open.tab.goto(await newLink(serviceHere, email));
  await open.store.buyFor(email).click();
  await expect(open.store.fromApp).toBeVisible();
  await beside.tab.goto(`${serviceHere.consoleUrl}/logout`);
  await new LogoutRoute(beside.tab).confirm.click();
  await expect(new LoginRoute(beside.tab).heading).toBeVisible();
  await expect(open.store.email).toHaveValue('');
  await open.tab.reload();
  await expect(open.store.email).toHaveValue('');
});

test('“Get started” says what is left to do: who is known types no address, who came from an app goes back', async ({
  browserHere,
  serviceHere,
  email,
}) => {
  const steps = (page: Page) => page.getByRole('main').getByRole('listitem');
  const text = texts.en;
  const path = '/store/quick-start';
  const guest = await openConsole(browserHere, serviceHere, { path });
  await expect(steps(guest)).toHaveText([text['store.step1'], text['store.step2'], text['store.step3']]);
  const page = await openSignedIn(browserHere, serviceHere, email);
  await page.goto(serviceHere.consoleUrl + path);
  await expect(steps(page)).toHaveText([
    text['store.stepChoose'],
    text['store.stepPay'],
    text['store.step3'],
  ]);
  const { hash } = new URL(await newLink(serviceHere, email));
  await guest.goto(serviceHere.consoleUrl + path + hash);
  await expect(steps(guest)).toHaveText([
    text['store.stepChoose'],
    text['store.stepPay'],
    text['store.stepBack'],
  ]);
});

test('without its offers the store says why and goes on when it has them, and says so when there are none', async ({
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

test('a buyer with more members than the plan has seats is told what that costs, also when coming from the app', async ({
  browserHere,
  serviceHere,
  email,
}) => {
  await makeTwoMembers(serviceHere, email);
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

test('a guest is told nothing of an account’s members, but its owner is, once signed in and before paying', async ({
  browserHere,
  serviceHere,
  email,
}) => {
  await makeTwoMembers(serviceHere, email);
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
