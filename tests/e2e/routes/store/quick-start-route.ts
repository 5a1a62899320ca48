import { Route } from '../route.ts';

export class QuickStartRoute extends Route {
  protected readonly path = '/quick-start';
  protected readonly title = 'quickStart.title';

  readonly outside = this.page.getByText(this.text('quickStart.outside'));
  readonly openAgain = this.named('button', 'quickStart.open');
}
