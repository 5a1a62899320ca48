import { expect, type Browser, type Page } from 'playwright/test';
import type { PageNote, PageNoteId } from '../../../../src/shared/entities.ts';
import { LoginRoute } from '../../routes/account/login-route.ts';
import { pauseClock, tickUntil } from '../host/tick-until.ts';
import { languageTags } from '../screens/texts.ts';
import type { TestService } from './service.ts';
import { answerProbes } from '../tunnel/probe-pages.ts';

/** A note that is like others but for this. */
export const note = (change: Partial<PageNote> = {}): PageNote => ({
  id: 'spring',
  title: 'New servers',
  htmlBody: '<p>There are <strong>two new</strong> servers.</p>',
  clickAction: null,
  redisplayLockSeconds: 3600,
  ...change,
});

/** Answers in the service's place which notes there are. Returns the page ids that were asked for so far. */
export async function serveNotes(
  page: Page,
  notes: Partial<Record<PageNoteId, readonly PageNote[]>>,
): Promise<() => string[]> {
  const asked: string[] = [];
  const all: Record<string, readonly PageNote[] | undefined> = notes;
  await page.route('**/api/page-notes/*', async (route) => {
    const id = new URL(route.request().url()).pathname.split('/').at(-1) ?? '';
    asked.push(id);
    await route.fulfill({ json: { code: 0, msg: '', data: { items: all[id] ?? [] } } });
  });
  return () => [...asked];
}

/**
 * The console's sign-in page with these notes, and a clock that the test moves, by which no time passes before if it
 * stands.
 */
export async function openLoginWithNotes(
  browser: Browser,
  service: TestService,
  notes: readonly PageNote[],
  { clockStands = false }: { clockStands?: boolean } = {},
): Promise<{ page: Page; asked: () => string[] }> {
  const context = await browser.newContext({
    locale: languageTags.en,
    viewport: { width: 1200, height: 800 },
  });
  await answerProbes(context);
  const page = await context.newPage();
  const asked = await serveNotes(page, { 'vpn-welcome': notes });
  await page.clock.install();
  if (clockStands) await pauseClock(page);
  await page.goto(`${service.consoleUrl}/login`);
  const { heading } = new LoginRoute(page);
  if (clockStands) await tickUntil(page, () => expect(heading).toBeVisible({ timeout: 1000 }));
  await expect(heading).toBeVisible();
  return { page, asked };
}

/** Lets the page's own timers run as if this much time had passed. */
export async function pass(page: Page, seconds: number): Promise<void> {
  await page.clock.runFor(seconds * 1000);
}
