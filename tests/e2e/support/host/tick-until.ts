import type { Page } from 'playwright/test';
import { expect } from 'playwright/test';

/** Pauses a page's clock that was installed: a little ahead, since it goes on until the page hears of it. */
export async function pauseClock(page: Page): Promise<void> {
  for (;;) {
    const now = await page.evaluate(() => Date.now());
    try {
      await page.clock.pauseAt(now + 3000);
      return;
    } catch (error) {
      // The page was there by then. It stands nevertheless, so that this happens once.
      if (!String(error).includes('fast-forward to the past')) throw error;
    }
  }
}

/**
 * Lets a clock that was paused tick by milliseconds until something can be asserted: however busy the machine is, next
 * to no time passes for the page, but what waits for a timer of no length goes on.
 */
export async function tickUntil(page: Page, assertion: () => Promise<void>): Promise<void> {
  await expect(async () => {
    await page.clock.runFor(5);
    await assertion();
  }).toPass();
}
