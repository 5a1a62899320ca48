import { expect, test } from '../fixtures.ts';
import { ManageLinks } from '../routes/manage/manage-links.ts';
import { PurchaseRoute } from '../routes/store/purchase-route.ts';
import { QuickStartRoute } from '../routes/store/quick-start-route.ts';
import { ConfirmRoute } from '../routes/store/confirm-route.ts';
import { MoreLinks } from '../routes/account/more-links.ts';
import { RedeemRoute } from '../routes/account/redeem-route.ts';
import { StorePage, WordgatePage } from '../routes/store/store-pages.ts';
import { tabTo } from '../support/screens/keyboard.ts';
import { plan } from '../support/service/service.ts';
import { nameLinks } from '../support/service/name-links.ts';
import { payerOf } from '../support/service/payer.ts';
import { openSignedIn } from '../support/tunnel/sign-in.ts';

test.describe('spec §2: /purchase: redirects the browser to an external purchase page', () => {
  test('on the desktop the browser of the system opens it, and the page says so', async ({
    signedInHere: app,
    serviceHere,
    email,
  }) => {
    const { page } = app;
    await new ManageLinks(page).to('section.purchase').click();
    const purchase = new PurchaseRoute(page);
    await expect(purchase.heading).toBeVisible();
    await expect(purchase.outside).toBeVisible();
    await expect.poll(() => app.externalLinks()).toHaveLength(1);
    await purchase.openAgain.click();
    await expect.poll(() => app.externalLinks()).toHaveLength(2);
    const links = await app.externalLinks();
    const address = `${serviceHere.apiUrl}/store/purchase#hand-over=`;
    for (const link of links) expect(link.slice(0, address.length)).toBe(address);
    expect(new Set(links).size, 'a link is for one time').toBe(2);
    expect(links.join()).not.toContain(email);
  });

  test('an address that is not of the web is refused', async ({ signedInConsole: page }) => {
    const purchase = new PurchaseRoute(page);
    for (const hostile of [
      'javascript:document.title="harmed"',
      'data:text/html,<h1>harmed</h1>',
      'https://shop.example@evil.example/',
    ]) {
      await nameLinks(page, { purchase_url: hostile });
      await purchase.open();
      await expect(purchase.refused, hostile).toBeVisible();
      await expect(purchase.heading, hostile).toBeVisible();
      await expect(purchase.openAgain, hostile).toBeHidden();
      await expect(page, hostile).not.toHaveTitle('harmed');
    }
  });

  test('on the web at once, without asking a known user for an email, and going back leads past it', async ({
    signedInConsole: page,
    email,
  }) => {
    await new ManageLinks(page).to('section.purchase').click();
    const store = new StorePage(page);
    await expect(store.heading).toBeVisible();
    await expect(store.buyer(email)).toBeVisible();
    await expect(store.signedIn).toBeVisible();
    await expect(store.email).toBeHidden();
    await page.goBack();
    await expect(new MoreLinks(page).card).toBeVisible();
    await new QuickStartRoute(page).open();
    await expect(store.heading).toBeVisible();
    await expect(store.buyer(email)).toBeVisible();
  });

  test('spec §6: levels: 3 child (member): is not offered what it may not do', async ({
    browserHere,
    serviceHere,
    email,
  }) => {
    await payerOf(email, serviceHere);
    const page = await openSignedIn(browserHere, serviceHere, email);
    const more = new MoreLinks(page);
    await expect(more.to('selfDelete.title')).toBeVisible();
    await expect(page.getByText('Member', { exact: true })).toBeVisible();
    await expect(more.to('redeem.title')).toBeHidden();
    await expect(new ManageLinks(page).to('section.purchase')).toBeHidden();
    const purchase = new PurchaseRoute(page);
    for (const route of [purchase, new RedeemRoute(page)]) {
      await route.open();
      await expect(purchase.childOnly).toBeVisible();
    }
  });
});

test.describe('spec §2: /quick-start: redirects to an external purchase page, or a logged-in user to /purchase', () => {
  test('on the desktop the browser of the system opens it', async ({ launchHere, serviceHere }) => {
    const app = await launchHere();
    const { page } = app;
    const quickStart = new QuickStartRoute(page);
    await quickStart.open();
    await expect(quickStart.outside).toBeVisible();
    await expect.poll(() => app.externalLinks()).toEqual([`${serviceHere.apiUrl}/store/quick-start`]);
  });
});

test.describe('spec §2: /quick-start: redirects to an external purchase page', () => {
  test('on the web at once', async ({ openedConsole: page }) => {
    await new QuickStartRoute(page).open();
    await expect(new StorePage(page).quickStartHeading).toBeVisible();
  });
});

test('a plan is bought and paid by the keyboard alone', async ({ browserHere, serviceHere, email }) => {
  const page = await openSignedIn(browserHere, serviceHere, email);
  await page.goto(`${serviceHere.consoleUrl}/store/purchase`);
  const store = new StorePage(page);
  await tabTo(store.plan(plan.title));
  await page.keyboard.press('Tab');
  await expect(store.duration).toBeFocused();
  await page.keyboard.press('ArrowDown');
  await expect(store.total).toHaveText('$19.98');
  await tabTo(store.continueButton);
  await page.keyboard.press('Enter');
  await tabTo(new WordgatePage(page).pay);
  await page.keyboard.press('Enter');
  await expect(new ConfirmRoute(page).heading).toBeVisible();
});
