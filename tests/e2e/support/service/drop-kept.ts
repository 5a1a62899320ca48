import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright/test';

/**
 * Has the next page begin without what the browser keeps under a key, which that page drops itself, once: an answer
 * that is still on its way to this one would be kept after it.
 */
export async function dropKept(page: Page, key: string): Promise<void> {
  await page.addInitScript(
    ([kept, mark]) => {
      if (sessionStorage.getItem(mark) !== null) return;
      sessionStorage.setItem(mark, 'dropped');
      localStorage.removeItem(kept);
    },
    [key, `dropped-${randomUUID()}`] as const,
  );
}
