import { Route } from './route.ts';

export class AccountRoute extends Route {
  protected readonly path = '/dashboard';
  protected readonly title = 'account.title';

  readonly signOut = this.named('link', 'account.signOut');
  readonly keptInMemory = this.page.getByText(this.text('account.memoryTitle'));
  readonly noPlan = this.page.getByText(this.text('account.noPlan'));
  /** Of the web console: the way to the other pages. */
  readonly manage = this.named('heading', 'account.manage');
}
