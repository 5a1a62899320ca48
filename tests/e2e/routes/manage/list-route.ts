import type { Locator } from 'playwright/test';
import { Route } from '../route.ts';

/** A page whose things stand in rows, each removed after asking. */
export abstract class ListRoute extends Route {
  /** The way back to the account, in the apps. */
  readonly back = this.page.getByRole('main').getByRole('link', { name: this.text('section.account') });
  readonly rows = this.page.getByRole('main').getByRole('listitem');
  readonly dialog = this.page.getByRole('dialog');
  readonly cancel = this.dialog.getByRole('button', { name: this.text('dialog.cancel') });
  readonly loading = this.page.getByRole('main').getByRole('status', { name: this.text('shell.loading') });
  readonly failed = this.page.getByRole('main').getByRole('alert');
  readonly retry = this.named('button', 'error.retry');

  readonly more = this.named('button', 'list.more');

  row(text: string): Locator {
    return this.rows.filter({ hasText: text });
  }
}
