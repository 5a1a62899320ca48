import type { BrowserContext } from 'playwright/test';

/**
 * Has the context's next pages follow no events, as if another page of their browser had the stream for all of them:
 * their network gets quiet, and their clocks can be set without a stream being missed.
 */
export async function withoutEvents(context: BrowserContext): Promise<void> {
  await context.addInitScript(() => {
    navigator.locks.request = () => new Promise(() => undefined);
  });
}
