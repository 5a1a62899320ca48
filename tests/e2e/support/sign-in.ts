import { expect, type Page } from 'playwright/test';
import { AccountRoute } from '../routes/account-route.ts';
import { LoginRoute } from '../routes/login-route.ts';
import { VerifyRoute } from '../routes/verify-route.ts';
import type { TestService } from './service.ts';
import type { TextLanguage } from './texts.ts';

/** Signs in as a person does: types the email, reads the mail, types the code. */
export async function signIn(
  page: Page,
  service: Pick<TestService, 'mailbox'>,
  email: string,
  language: TextLanguage = 'en',
): Promise<void> {
  const mailsBefore = await service.mailbox.count(email);
  await new LoginRoute(page, language).askForCode(email);
  const verify = new VerifyRoute(page, language);
  await expect(verify.heading).toBeVisible();
  await verify.type(await service.mailbox.code(email, mailsBefore));
  await expect(new AccountRoute(page, language).heading).toBeVisible();
}
