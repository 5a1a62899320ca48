import type { Page } from 'playwright/test';
import { expect, test } from '../fixtures.ts';
import { ManageLinks } from '../routes/manage-links.ts';
import { PurchaseRoute } from '../routes/purchase-route.ts';
import { QuickStartRoute } from '../routes/quick-start-route.ts';

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
      await page.evaluate(() => localStorage.removeItem('basicInfo'));
      await changeLinks(page, { purchase_url: hostile });
      await purchase.open();
      await expect(purchase.refused, hostile).toBeVisible();
      await expect(purchase.heading, hostile).toBeVisible();
      await expect(purchase.openAgain, hostile).toBeHidden();
      await expect(page, hostile).not.toHaveTitle('harmed');
    }
  });
});

test.describe('spec §2: /quick-start: redirects to an external purchase page; a logged-in user is sent to /purchase instead', () => {
  test('on the desktop the browser of the system opens it', async ({ launchHere, serviceHere }) => {
    const app = await launchHere();
    const { page } = app;
    const quickStart = new QuickStartRoute(page);
    await quickStart.open();
    await expect(quickStart.outside).toBeVisible();
    await expect.poll(() => app.externalLinks()).toEqual([`${serviceHere.apiUrl}/store/quick-start`]);
  });
});

/** Lets the service name other links. */
async function changeLinks(page: Page, links: Record<string, string>): Promise<void> {
  await page.route('**/api/basic-info', async (route) => {
    const response = await route.fetch();
    const reply = (await response.json()) as { data: { links: Record<string, string> } };
    Object.assign(reply.data.links, links);
    await route.fulfill({ response, json: reply });
  });
}
