import { Route } from '../route.ts';

export class AccountRoute extends Route {
  protected readonly path = '/dashboard';
  protected readonly title = 'account.title';

  readonly signOut = this.named('link', 'account.signOut');
  readonly keptInMemory = this.page.getByText(this.text('account.memoryTitle'));
  readonly putAwayNotice = this.named('button', 'shell.notificationClose');
  readonly refresh = this.named('button', 'account.refresh');
  readonly refreshed = this.page.getByText(this.text('account.refreshed'));
  readonly refreshFailed = this.page.getByText(this.text('account.refreshFailed'));
  readonly active = this.page.getByText(this.text('account.active'), { exact: true });
  readonly noPlan = this.page.getByText(this.text('account.noPlan'));
  /** Of the web console: the way to the other pages. */
  readonly manage = this.named('heading', 'account.manage');
  /** Bytes that the plan's sessions carried, as far as they have ended. */
  readonly received = this.valueOf(this.text('account.received'));
  readonly sent = this.valueOf(this.text('account.sent'));
}
