import { expect, type Page } from 'playwright/test';
import { PurchaseRoute } from '../../routes/store/purchase-route.ts';
import { StorePage, WordgatePage } from '../../routes/store/store-pages.ts';
import type { TextLanguage } from '../screens/texts.ts';

/** Buys in the web console as a person does, up to where the payment provider asks; the order's id. */
export async function buy(page: Page, quantity = 1, language: TextLanguage = 'en'): Promise<string> {
  const paying = page.waitForRequest(/\/api\/orders\/\d+\/payments\/$/);
  const store = new StorePage(page, language);
  await new PurchaseRoute(page, language).open();
  await page.waitForURL('**/store/purchase*');
  await expect(store.heading).toBeVisible();
  await store.duration.selectOption(String(quantity));
  await store.continueButton.click();
  await new WordgatePage(page, language).reached();
  const orderId = /\/orders\/(\d+)\//.exec((await paying).url())?.[1];
  if (orderId === undefined) throw new Error('no order was paid');
  return orderId;
}
