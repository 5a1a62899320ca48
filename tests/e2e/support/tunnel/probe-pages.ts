import type { BrowserContext, Page } from 'playwright';
import { connectivityProbe } from '../../../../src/shared/constants.ts';

/** What the connectivity probe loads; without these answers no test machine has a network worth the name. */
const isProbePage = (url: URL) => connectivityProbe.pages.some((page) => page === url.href);

/** Answers in the place of the external test pages. */
export async function answerProbes(pages: BrowserContext | Page): Promise<void> {
  await pages.route(isProbePage, (route) => route.fulfill({ contentType: 'text/html', body: 'Success' }));
}

const isCall = (url: URL) => url.pathname.startsWith('/api/');

/** Nothing answers: neither the external test pages nor the service, of a page that calls it by itself. */
export async function loseNetwork(page: Page, how: 'refused' | 'silent'): Promise<() => Promise<void>> {
  const recover = await loseProbes(page, how);
  const lose = (route: { abort(reason: string): Promise<void> }) => route.abort('internetdisconnected');
  await page.route(isCall, lose);
  return async () => {
    await page.unroute(isCall, lose);
    await recover();
  };
}

/**
 * The external test pages cannot be reached, or do not answer at all. Returns what is to be called when they can again.
 */
export async function loseProbes(page: Page, how: 'refused' | 'silent'): Promise<() => Promise<void>> {
  const lose = (route: { abort(reason: string): Promise<void> }) =>
    how === 'refused' ? route.abort('internetdisconnected') : Promise.resolve();
  await page.route(isProbePage, lose);
  return () => page.unroute(isProbePage, lose);
}
