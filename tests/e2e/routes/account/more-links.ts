import type { Locator } from 'playwright/test';
import type { TextKey } from '#shared/texts/texts.ts';
import { Route } from '../route.ts';

/** The ways from the account to the pages that are seldom needed, and the downloads below it. */
export class MoreLinks extends Route {
  protected readonly path = '/dashboard';
  protected readonly title = 'account.title';

  readonly card = this.named('region', 'more.title');
  readonly downloads = this.named('region', 'download.title');
  readonly downloadHeading = this.named('heading', 'download.title');

  to(page: Extract<TextKey, 'redeem.title' | 'more.offers' | 'about.title' | 'selfDelete.title'>): Locator {
    return this.card.getByRole('link', { name: this.linkName(page) });
  }
}
