import type { Page } from 'playwright/test';

/** What the app answers to a request of its page's; the channel as in the host contract, such as `session.signOut`. */
export const askHost = (page: Page, channel: string, input?: unknown): Promise<unknown> =>
  page.evaluate(
    ([name, given]) =>
      (
        globalThis as unknown as { waymakerHost: { request(name: string, input: unknown): Promise<unknown> } }
      ).waymakerHost.request(name, given),
    [channel, input] as const,
  );

/**
 * Resolves once a page has drawn what it had asked the app before: answers come in order. What must not be shown can
 * then be looked for.
 */
export async function untilDrawn(page: Page): Promise<void> {
  await askHost(page, 'session.get');
  await page.evaluate(
    () =>
      new Promise((resolve) => {
        requestAnimationFrame(() => requestAnimationFrame(resolve));
      }),
  );
}
