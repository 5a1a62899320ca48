import type { Locator } from 'playwright/test';
import type { TextKey } from '#shared/texts/texts.ts';
import { Route } from '../route.ts';

export class PayOrderRoute extends Route {
  protected readonly path = '/pay/order';
  protected readonly title = 'pay.title';

  readonly outside = this.page.getByText(this.text('pay.outside'));
  readonly openPayment = this.named('button', 'pay.open');
  readonly havePaid = this.named('link', 'pay.done');
  readonly failed = this.page.getByText(this.text('pay.failed'));
  readonly refused = this.page.getByText(this.text('pay.refused'));
  readonly retry = this.named('button', 'error.retry');

  /** What stands beside a name in the summary of the order. */
  fact(key: TextKey): Locator {
    return this.valueOf(this.text(key));
  }
}
