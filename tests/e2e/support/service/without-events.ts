import type { BrowserContext } from 'playwright/test';

/**
 * Has the context's next pages follow no events, as if another page of their browser had the stream for all of them:
 * their network gets quiet, and their clocks can be set without a stream being missed.
 */
export async function withoutEvents(context: BrowserContext): Promise<void> {
  await context.addInitScript(() => {
    const { locks } = navigator;
    const request = locks.request.bind(locks) as (...words: unknown[]) => Promise<unknown>;
    locks.request = (name: string, ...others: unknown[]) =>
      name === 'waymaker-events' ? new Promise(() => undefined) : request(name, ...others);
  });
}
