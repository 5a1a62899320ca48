import type { BrowserContext, Page } from 'playwright/test';

/**
 * Closes pages whose test is over. What they still ask for may be in the hands of one of the test's routes, which can
 * do nothing with it any more; that would count as an error of the test. Any of them may go meanwhile: an app that
 * cannot start closes its own.
 */
export async function closeContext(context: BrowserContext): Promise<void> {
  await Promise.all([context, ...context.pages()].map(unroute));
  await context.close();
}

async function unroute(routed: BrowserContext | Page): Promise<void> {
  try {
    await routed.unrouteAll({ behavior: 'ignoreErrors' });
  } catch (error) {
    if (!routed.isClosed()) throw error;
  }
}
