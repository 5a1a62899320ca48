import type { Locator } from 'playwright/test';
import { Route } from '../route.ts';

/** The page on which an app around a webview checks itself. */
export class ConformanceRoute extends Route {
  protected readonly path = '/webview-conformance';
  protected readonly title = 'conformance.title';

  readonly summary = this.page.getByText(this.text('conformance.summary'));

  /** The rules with this result, each with its reason. */
  rules(is: 'passed' | 'failed' | 'skipped'): Locator {
    const result = this.page.getByRole('cell', { name: this.text(`conformance.${is}`) });
    return this.page.getByRole('row').filter({ has: result }).getByRole('rowheader');
  }
}
