import { Route } from '../route.ts';

/** The bottom tab bar of the apps. */
export class Tabs extends Route {
  protected readonly path = '/';
  protected readonly title = 'account.title';

  readonly bar = this.named('navigation', 'shell.mainNavigation');
  readonly connect = this.bar.getByRole('link', { name: this.text('section.connect') });
  readonly miniApps = this.bar.getByRole('link', { name: this.text('section.miniApps') });
  /** Only where the bar is beside the page. */
  readonly settings = this.bar.getByRole('link', { name: this.text('section.settings') });
  readonly account = this.bar.getByRole('link', { name: this.text('section.account') });
}
