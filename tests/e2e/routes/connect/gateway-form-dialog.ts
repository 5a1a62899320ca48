import type { Locator, Page } from 'playwright/test';
import { textPattern, type TextLanguage } from '../../support/screens/texts.ts';

/** What the server asks for while the app connects. */
export class GatewayFormDialog {
  readonly dialog: Locator;
  /** The same, where it is plain that a one-time code is meant. */
  readonly code: Locator;
  readonly continue: Locator;
  readonly cancel: Locator;
  /** The notice that the last answer may have been wrong. */
  readonly again: Locator;

  constructor(page: Page, language: TextLanguage = 'en') {
    const named = (title: 'gatewayForm.title' | 'gatewayForm.codeTitle') =>
      page.getByRole('dialog', { name: textPattern(language, title) });
    this.code = named('gatewayForm.codeTitle');
    this.dialog = this.code.or(named('gatewayForm.title'));
    this.continue = this.dialog.getByRole('button', { name: textPattern(language, 'gatewayForm.continue') });
    this.cancel = this.dialog.getByRole('button', { name: textPattern(language, 'dialog.cancel') });
    this.again = this.dialog.getByRole('alert').getByText(textPattern(language, 'gatewayForm.again'));
  }

  /** Found by the gateway's own label. */
  field(label: string): Locator {
    return this.dialog.getByLabel(label);
  }

  /** The gateway's own words. */
  says(text: string): Locator {
    return this.dialog.getByText(text);
  }
}
