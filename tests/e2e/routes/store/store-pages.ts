import { expect, type Locator, type Page } from 'playwright/test';
import type { TextKey } from '#shared/texts/texts.ts';
import { textPattern, type TextLanguage } from '../../support/screens/texts.ts';

/** The store's page, for whoever comes. */
export class StorePage {
  readonly page: Page;
  readonly heading: Locator;
  readonly quickStartHeading: Locator;
  readonly email: Locator;
  readonly duration: Locator;
  readonly continueButton: Locator;
  readonly total: Locator;
  readonly fromApp: Locator;
  readonly signedIn: Locator;
  readonly otherBuyer: Locator;
  readonly whose: Locator;
  private readonly text: (key: TextKey) => RegExp;

  constructor(page: Page, language: TextLanguage = 'en') {
    const text = (key: TextKey) => textPattern(language, key);
    this.page = page;
    this.text = text;
    this.heading = page.getByRole('heading', { level: 1, name: text('store.purchaseTitle') });
    this.quickStartHeading = page.getByRole('heading', { level: 1, name: text('store.quickStartTitle') });
    this.email = page.getByRole('textbox', { name: text('login.email') });
    this.duration = page.getByRole('combobox', { name: text('store.duration') });
    this.continueButton = page.getByRole('button', { name: text('store.submit') });
    this.total = page.locator('form p strong');
    this.fromApp = page.getByText(text('store.buyerFromApp'));
    this.signedIn = page.getByText(text('store.buyerSignedIn'));
    this.otherBuyer = page.getByRole('button', { name: text('store.otherBuyer') });
    this.whose = page.getByText(text('store.choiceTitle'));
  }

  plan(title: string): Locator {
    return this.page.getByRole('radio', { name: title });
  }

  /** For whom it is bought, as the page says. */
  buyer(email: string): Locator {
    return this.page.getByRole('main').getByText(email, { exact: true });
  }

  buyFor(email: string): Locator {
    return this.page.getByRole('button', { name: this.text('store.buyFor') }).filter({ hasText: email });
  }
}

/** Where the payment provider of the sandbox asks the payer. */
export class WordgatePage {
  readonly page: Page;
  readonly pay: Locator;
  readonly decline: Locator;

  constructor(page: Page, language: TextLanguage = 'en') {
    // It plays another company, which has no use for the translations of the service.
    const own = language === 'pseudo' ? 'en' : language;
    this.page = page;
    this.pay = page.getByRole('button', { name: textPattern(own, 'wordgate.pay') });
    this.decline = page.getByRole('button', { name: textPattern(own, 'wordgate.decline') });
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
