import type { Page } from 'playwright/test';
import { PayOrderRoute } from '../../routes/store/pay-order-route.ts';
import { WordgatePage } from '../../routes/store/store-pages.ts';
import { must, signInByApi } from './api-user.ts';
import { plan, type TestService } from './service.ts';

/** An order that is not paid yet, made without the store's pages; its id. */
export async function placeOrder(service: TestService, email: string, quantity = 1): Promise<string> {
  const user = await signInByApi(service, email);
  return must(await user.call('createOrder', { body: { productId: plan.id, quantity } })).orderId;
}

/** The same, and goes on to where the payment provider asks, in a page in which its buyer is signed in. */
export async function openPayment(page: Page, service: TestService, email: string): Promise<string> {
  const orderId = await placeOrder(service, email);
  await new PayOrderRoute(page).open(`?orderId=${orderId}`);
  await new WordgatePage(page).reached();
  return orderId;
}
