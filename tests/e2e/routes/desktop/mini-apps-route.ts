import type { Locator } from 'playwright/test';
import { Route } from '../route.ts';

export class MiniAppsRoute extends Route {
  protected readonly path = '/mini-apps';
  protected readonly title = 'section.miniApps';

  readonly tiles = this.named('list', 'section.miniApps').getByRole('button');
  readonly empty = this.page.getByText(this.text('miniApps.empty'));
  readonly retry = this.named('button', 'error.retry');
  readonly openFailed = this.page.getByText(this.text('miniApps.openFailed'));

  tile(name: string): Locator {
    return this.tiles.filter({ hasText: name });
  }
}
