import type { Page } from 'playwright/test';
import { expect } from 'playwright/test';

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
