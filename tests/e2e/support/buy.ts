import { expect, type Page } from 'playwright/test';
import { PurchaseRoute } from '../routes/purchase-route.ts';
import { StorePage, WordgatePage } from '../routes/store-pages.ts';
import type { TextLanguage } from './texts.ts';

/** Buys in the web console as a person does, up to where the payment provider asks; the order's id. */
export async function buy(page: Page, quantity = 1, language: TextLanguage = 'en'): Promise<string> {
  const preparing = page.waitForRequest((request) => new URL(request.url()).pathname === '/pay/order');
  const store = new StorePage(page, language);
  await new PurchaseRoute(page, language).open();
  await page.waitForURL('**/store/purchase*');
  await expect(store.heading).toBeVisible();
  await store.quantity.fill(String(quantity));
  await store.continueButton.click();
  const orderId = new URL((await preparing).url()).searchParams.get('orderId');
  await new WordgatePage(page, language).reached();
  if (orderId === null) throw new Error('the store named no order');
  return orderId;
}
