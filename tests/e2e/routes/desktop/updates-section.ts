import type { Locator, Page } from 'playwright/test';
import { fillPlaceholders } from '#shared/texts/placeholders.ts';
import { updateTexts, type UpdateTextKey } from '#shared/texts/update-texts.ts';
import { pseudoUpdateTexts } from '../../support/screens/pseudo-language.ts';
import type { TextLanguage } from '../../support/screens/texts.ts';

const texts = { ...updateTexts, pseudo: pseudoUpdateTexts };

/** What the desktop app says about updates, in the settings and above other pages. */
export class UpdatesSection {
  readonly #page: Page;
  readonly #language: TextLanguage;

  constructor(page: Page, language: TextLanguage = 'en') {
    this.#page = page;
    this.#language = language;
  }

  text(key: UpdateTextKey, values: Readonly<Record<string, string>> = {}): string {
    return fillPlaceholders(texts[this.#language][key], values);
  }

  /** In the settings. */
  get section(): Locator {
    return this.#page.getByRole('region', { name: this.text('update.title') });
  }

  says(key: UpdateTextKey, values: Readonly<Record<string, string>> = {}): Locator {
    return this.section.getByText(this.text(key, values), { exact: true });
  }

  button(key: UpdateTextKey): Locator {
    return this.section.getByRole('button', { name: this.text(key), exact: true });
  }

  /** Above other pages. */
  notice(version: string): Locator {
    return this.#page
      .getByRole('status')
      .filter({ hasText: this.text('update.ready', { version }) })
      .filter({ has: this.#page.getByRole('link', { name: this.text('update.show'), exact: true }) });
  }

  get show(): Locator {
    return this.#page.getByRole('link', { name: this.text('update.show'), exact: true });
  }
}
