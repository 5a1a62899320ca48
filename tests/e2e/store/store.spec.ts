import type { Page } from 'playwright/test';
import { expect, test } from '../fixtures.ts';
import { ConfirmRoute } from '../routes/confirm-route.ts';
import { LoginRoute } from '../routes/login-route.ts';
import { ManageLinks } from '../routes/manage-links.ts';
import { StorePage, WordgatePage } from '../routes/store-pages.ts';
import { VerifyRoute } from '../routes/verify-route.ts';
import { plan, type TestService } from '../support/service/service.ts';
import { texts } from '../support/screens/texts.ts';
import { openConsole } from '../support/service/web-console.ts';

const storage = (page: Page) => page.evaluate(() => JSON.stringify(Object.entries(localStorage)));

/** An app's link to the store, as this machine's browser opens it. */
function here({ consoleUrl }: TestService, link: string | undefined): string {
  const { pathname, hash } = new URL(link ?? '');
  return consoleUrl + pathname + hash;
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
