import type { Locator } from 'playwright/test';
import type { TextKey } from '#shared/texts/texts.ts';
import { Route } from '../route.ts';

/** The ways from the account to the pages that manage it. */
export class ManageLinks extends Route {
  protected readonly path = '/dashboard';
  protected readonly title = 'account.title';

  readonly card = this.named('region', 'account.manage');

  to(section: Extract<TextKey, `section.${string}`>): Locator {
    return this.card.getByRole('link', { name: this.text(section) });
  }
}
