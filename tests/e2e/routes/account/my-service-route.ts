import { ListRoute } from '../manage/list-route.ts';

export class MyServiceRoute extends ListRoute {
  protected readonly path = '/my-service';
  protected readonly title = 'section.service';

  readonly none = this.page.getByText(this.text('service.none'));
  readonly choose = this.named('link', 'service.choose');
  readonly renew = this.named('link', 'service.renew');
  readonly change = this.named('button', 'service.change');
  readonly active = this.page.getByText(this.text('account.active'));
  readonly expired = this.page.getByText(this.text('account.expired'));
  readonly shared = this.page.getByText(this.text('service.shared'));
}
