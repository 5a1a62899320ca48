import type { Page } from 'playwright/test';
import type { TextLanguage } from '../../support/screens/texts.ts';
import { Route } from '../route.ts';

/** Spec §2: pages that on the web only tell that the desktop app manages them. */
export const webNoticePaths = ['/my-service', '/devices', '/orders', '/members', '/apps'] as const;

export class WebNoticeRoute extends Route {
  protected readonly path: string;
  protected readonly title = 'notice.title';

  /** Where the operator has it managed. */
  readonly elsewhere = this.named('link', 'notice.elsewhere');
  readonly download = this.named('link', 'download.title');
  readonly back = this.named('link', 'notice.back');

  constructor(page: Page, path: (typeof webNoticePaths)[number], language: TextLanguage = 'en') {
    super(page, language);
    this.path = path;
  }
}
