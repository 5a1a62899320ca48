import type { Locator } from 'playwright/test';
import type { TextKey } from '#shared/texts/texts.ts';
import { Route } from '../route.ts';

/** What stands around every page of the web console. */
export class WebFrame extends Route {
  protected readonly path = '/';
  protected readonly title = 'account.title';

  readonly header = this.page.getByRole('banner');
  readonly login = this.header.getByRole('link', { name: this.text('shell.login') });
  readonly dashboard = this.header.getByRole('link', { name: this.text('shell.dashboard') });
  readonly breadcrumbs = this.named('navigation', 'shell.breadcrumbs');
  readonly footer = this.page.getByRole('contentinfo');
  readonly desktopOnly = this.page.getByRole('heading', { level: 1, name: this.text('notice.title') });

  footerLink(key: TextKey): Locator {
    return this.footer.getByRole('link', { name: this.linkName(key) });
  }
}
