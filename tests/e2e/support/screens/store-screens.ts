import { expect, type Page } from 'playwright/test';
import { WordgatePage } from '../../routes/store/store-pages.ts';
import { buy } from '../service/buy.ts';
import type { TestService } from '../service/service.ts';
import { arriveSignedIn } from '../tunnel/sign-in.ts';
import { textPattern, type TextLanguage } from './texts.ts';

/** A page of the service that is open, and the language that it speaks. */
interface OpenPage {
  readonly name: string;
  readonly says: TextLanguage;
}

const pages = [
  ['/store/purchase', 'store.purchaseTitle'],
  ['/store/change-service', 'store.changeTitle'],
  ['/store/quick-start', 'store.quickStartTitle'],
  ['/store/events', 'more.offers'],
  ['/store/privacy', 'section.privacy'],
] as const;

/**
 * Opens the store's pages for a stranger, then for who is signed in there, and the payment provider's, one after the
 * other.
 */
export async function* openStoreScreens(
  page: Page,
  service: TestService,
  email: string,
  language: TextLanguage,
): AsyncGenerator<OpenPage> {
  const heading = (says: TextLanguage, title: 'pay.title' | (typeof pages)[number][1]) =>
    page.getByRole('heading', { level: 1, name: textPattern(says, title) });
  const open = (address: string) => page.goto(new URL(address, service.consoleUrl).href);
  for (const [address, title] of pages) {
    await open(address);
    await expect(heading(language, title)).toBeVisible();
    yield { name: address, says: language };
  }
  await open('/store/purchase?email=nobody');
  await page.getByRole('button', { name: textPattern(language, 'store.submit') }).click();
  await expect(page.getByText(textPattern(language, 'login.emailInvalid'))).toBeVisible();
  yield { name: 'a wrong entry', says: language };

  // The payment provider is another company, which has no use for the translations of the service.
  const says = language === 'pseudo' ? 'en' : language;
  await open('/wordgate/pay/none');
  await expect(heading(says, 'pay.title')).toBeVisible();
  yield { name: 'no such payment', says };
  await arriveSignedIn(page, service, email, language);
  await buy(page, 1, language);
  yield { name: 'a payment', says };
  const payment = page.url();
  await new WordgatePage(page, language).decline.click();
  await page.waitForURL(/\/pay\/confirming/);
  await open(payment);
  await expect(heading(says, 'pay.title')).toBeVisible();
  yield { name: 'a declined payment', says };
}
