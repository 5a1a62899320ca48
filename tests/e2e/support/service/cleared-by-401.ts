import { expect, type Page } from 'playwright/test';
import { eventually } from '../../../lab/runs/process.ts';
import { AccountRoute } from '../../routes/account/account-route.ts';
import { LoginRoute } from '../../routes/account/login-route.ts';
import { must, signInByApi } from './api-user.ts';
import type { TestService } from './service.ts';

/** What a host has stored: the page's data as text, and the session's token if there is one. */
type Kept = () => Promise<{ data: string; token: string | undefined }>;

/** The user's other device ends the session of `page`, and nothing stays of it. */
export async function expectClearedBy401(
  page: Page,
  service: TestService,
  email: string,
  kept: Kept,
): Promise<void> {
  await expect(page.getByText(email)).toBeVisible();
  await expect.poll(async () => (await kept()).data, 'positive control').toContain(email);
  const token = await eventually('the session is kept', async () => (await kept()).token);
  expect(token.length, 'positive control').toBeGreaterThan(20);
  const other = await signInByApi(service, email);
  for (const { deviceId, isCurrent } of must(await other.call('devices')).items) {
    if (!isCurrent) must(await other.call('revokeDevice', { params: { deviceId } }));
  }
  await page.reload();
  const login = new LoginRoute(page);
  await expect(login.heading).toBeVisible();
  await expect(page).toHaveURL(/\/login$/);
  await expect.poll(async () => (await kept()).token).toBeUndefined();
  await expect.poll(async () => (await kept()).data).not.toContain(email);
  expect((await kept()).data).not.toContain(token);
  await new AccountRoute(page).open();
  await expect(login.heading).toBeVisible();
}
