import { Route } from '../route.ts';

export class PurchaseRoute extends Route {
  protected readonly path = '/purchase';
  protected readonly title = 'purchase.title';

  readonly outside = this.page.getByText(this.text('purchase.outside'));
  readonly openAgain = this.named('button', 'purchase.open');
  readonly refused = this.page.getByText(this.text('purchase.refused'));
  readonly childOnly = this.named('heading', 'manage.childTitle');
}
