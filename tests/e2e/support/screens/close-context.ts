import type { BrowserContext } from 'playwright/test';

/**
 * Closes pages whose test is over. What they still ask for may be in the hands of one of the test's routes, which can
 * do nothing with it any more; that would count as an error of the test.
 */
export async function closeContext(context: BrowserContext): Promise<void> {
  const behavior = 'ignoreErrors';
  await Promise.all([context, ...context.pages()].map((routed) => routed.unrouteAll({ behavior })));
  await context.close();
}
