import type { Page } from 'playwright/test';

/** How many pages there are in the webview's history to go back to. */
export async function pagesBefore(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  const { currentIndex, entries } = await session.send('Page.getNavigationHistory');
  await session.detach();
  // Not the blank page that Playwright's tabs begin with, and a webview does not.
  return entries.slice(0, currentIndex).filter(({ url }) => url !== 'about:blank').length;
}

/** The system's back button: back in the webview's history, or else out of the app. */
export async function pressBack(page: Page): Promise<'went back' | 'left the app'> {
  if ((await pagesBefore(page)) === 0) return 'left the app';
  await page.goBack();
  return 'went back';
}
