import { expect, type Locator, type Page } from 'playwright/test';
import { storeText, type StoreText } from '../../../src/service/store/store-texts.ts';
import type { TextLanguage } from '../support/texts.ts';

/** The store's texts. It has none in the pseudo-language, whose users are users of English. */
const storeTexts = (language: TextLanguage): StoreText => storeText(language === 'pseudo' ? 'en' : language);

/** The service's purchase page, which is none of the console's. */
export class StorePage {
  readonly heading: Locator;
  readonly quickStartHeading: Locator;
  readonly email: Locator;
  readonly quantity: Locator;
  readonly continueButton: Locator;

  constructor(page: Page, language: TextLanguage = 'en') {
    const t = storeTexts(language);
    const heading = (name: string) => page.getByRole('heading', { level: 1, name });
    this.heading = heading(t('purchase.title'));
    this.quickStartHeading = heading(t('quickStart.title'));
    this.email = page.getByRole('textbox', { name: t('form.email') });
    this.quantity = page.getByRole('spinbutton', { name: t('form.quantity') });
    this.continueButton = page.getByRole('button', { name: t('form.submit') });
  }

  plan(title: string): Locator {
    return this.email.page().getByRole('radio', { name: title });
  }
}

/** Where the payment provider of the sandbox asks the payer. */
export class WordgatePage {
  readonly page: Page;
  readonly pay: Locator;
  readonly decline: Locator;

  constructor(page: Page, language: TextLanguage = 'en') {
    const t = storeTexts(language);
    this.page = page;
    this.pay = page.getByRole('button', { name: t('pay.accept').trim() });
    this.decline = page.getByRole('button', { name: t('pay.decline') });
  }

  /** An amount as the page writes it. */
  amount(text: string): Locator {
    return this.page.getByRole('definition').filter({ hasText: text });
  }

  async reached(): Promise<void> {
    await this.page.waitForURL('**/wordgate/pay/*');
    await expect(this.pay).toBeVisible();
  }
}
