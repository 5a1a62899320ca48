import type { Browser, Page } from 'playwright/test';
import { expect, test as base } from '../fixtures.ts';
import { launchBrowser } from '../support/web-console.ts';
import { openWebview, type WebviewOptions } from './open-webview.ts';
import { createWebviewApp, type Platform, type WebviewApp } from './webview-app.ts';

type OpenInApp = (
  platform: Platform,
  options?: Partial<WebviewOptions>,
) => Promise<{ app: WebviewApp; page: Page }>;

// oxlint-disable no-empty-pattern -- Playwright reads a fixture's needs from its first parameter's pattern
export const test = base.extend<{ openInApp: OpenInApp }, { phoneBrowser: Browser }>({
  phoneBrowser: [
    async ({}, provide) => {
      const browser = await launchBrowser();
      await provide(browser);
      await browser.close();
    },
    { scope: 'worker' },
  ],
  /** Opens the pages in a webview, with an app around it that keeps the whole contract unless one is given. */
  openInApp: async ({ phoneBrowser, serviceHere }, provide) => {
    await provide(async (platform, options = {}) => {
      const app = options.app ?? createWebviewApp(platform);
      const url = `${serviceHere.consoleUrl}/`;
      return { app, page: await openWebview(phoneBrowser, { platform, url, ...options, app }) };
    });
    await Promise.all(phoneBrowser.contexts().map((context) => context.close()));
  },
});

export { expect };
