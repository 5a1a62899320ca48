import type { Page } from 'playwright/test';
import type { PageNote, PageNoteId } from '../../../src/shared/entities.ts';

/** Answers in the service's place which notes there are. Returns the page ids that were asked for so far. */
export async function serveNotes(
  page: Page,
  notes: Partial<Record<PageNoteId, PageNote[]>>,
): Promise<() => string[]> {
  const asked: string[] = [];
  const all: Record<string, PageNote[] | undefined> = notes;
  await page.route('**/api/page-notes/*', async (route) => {
    const id = new URL(route.request().url()).pathname.split('/').at(-1) ?? '';
    asked.push(id);
    await route.fulfill({ json: { code: 0, msg: '', data: { items: all[id] ?? [] } } });
  });
  return () => [...asked];
}
