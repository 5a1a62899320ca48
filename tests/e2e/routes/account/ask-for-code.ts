import type { Page } from 'playwright/test';
import type { TestService } from '../../support/service/service.ts';
import { LoginRoute } from './login-route.ts';
import { VerifyRoute } from './verify-route.ts';

/** Has a code mailed, and waits for it at the page that asks for it. */
export async function askForCode(page: Page, service: TestService, email: string) {
  await new LoginRoute(page).askForCode(email);
  return { verify: new VerifyRoute(page), code: await service.mailbox.code(email) };
}
