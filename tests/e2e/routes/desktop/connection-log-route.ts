import { Route } from '../route.ts';

export class ConnectionLogRoute extends Route {
  protected readonly path = '/settings/connection-log';
  protected readonly title = 'connectionLog.title';

  readonly events = this.page.getByRole('main').getByRole('listitem');
  readonly clear = this.named('button', 'connectionLog.clear');
  readonly dialog = this.page.getByRole('dialog');
  readonly confirm = this.dialog.getByRole('button', { name: this.text('connectionLog.clear') });
  readonly empty = this.page.getByText(this.text('connectionLog.empty'));
}
