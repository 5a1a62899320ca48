import type { Locator, Page } from 'playwright/test';
import { textPattern, type TextLanguage } from '../../support/screens/texts.ts';

/** A pop-up note, by its title. */
export class NoteDialog {
  readonly dialog: Locator;
  readonly title: Locator;
  readonly dismiss: Locator;
  /** Of a note that opens something. */
  readonly open: Locator;
  /** Of a note that opens nothing. */
  readonly confirm: Locator;

  constructor(page: Page, title: string, language: TextLanguage = 'en') {
    this.dialog = page.getByRole('dialog', { name: title });
    this.title = this.dialog.getByRole('heading', { name: title });
    this.dismiss = this.dialog.getByRole('button', { name: textPattern(language, 'note.dismiss') });
    this.open = this.dialog.getByRole('button', { name: textPattern(language, 'note.open') });
    this.confirm = this.dialog.getByRole('button', { name: textPattern(language, 'note.confirm') });
  }
}
