import type { Page } from 'playwright/test';

/** The system's back button: back in the webview's history, or else out of the app. */
export async function pressBack(page: Page): Promise<'went back' | 'left the app'> {
  const session = await page.context().newCDPSession(page);
  const { currentIndex, entries } = await session.send('Page.getNavigationHistory');
  await session.detach();
  // Not the blank page that Playwright's tabs begin with, and a webview does not.
  const before = entries.slice(0, currentIndex).filter(({ url }) => url !== 'about:blank');
  if (before.length === 0) return 'left the app';
  await page.goBack();
  return 'went back';
}
