import type { Locator } from 'playwright/test';
import { ListRoute } from './list-route.ts';

export class OrdersRoute extends ListRoute {
  protected readonly path = '/orders';
  protected readonly title = 'section.orders';

  readonly empty = this.page.getByText(this.text('orders.empty'));
  readonly unpaid = this.page.getByText(this.text('orders.unpaid'));
  readonly paid = this.page.getByText(this.text('orders.paid'));

  pay(title: string): Locator {
    return this.row(title).getByRole('link', { name: this.text('orders.payNamed') });
  }
}
