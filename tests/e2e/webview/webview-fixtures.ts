import type { Page } from 'playwright/test';
import { expect, test as base } from '../fixtures.ts';
import { arrived, deviceLogin } from '../support/tunnel/sign-in.ts';
import { openWebview, type WebviewOptions } from './open-webview.ts';
import { createWebviewApp, type Platform, type WebviewApp } from './webview-app.ts';

/** `path`: which page the app opens first, where not the one that an app does. */
export type OpenInApp = (
  platform: Platform,
  options?: Partial<WebviewOptions> & { path?: string },
) => Promise<{ app: WebviewApp; page: Page }>;

interface WebviewFixtures {
  /** Opens the pages in a webview, with an app around it that keeps the whole contract unless one is given. */
  openInApp: OpenInApp;
  /** The same, and signs the user of `email` in. */
  signInInApp: OpenInApp;
}

export const test = base.extend<WebviewFixtures>({
  openInApp: async ({ browserHere, serviceHere }, provide) => {
    await provide(async (platform, { path = '/', ...options } = {}) => {
      const app = options.app ?? createWebviewApp(platform);
      const url = serviceHere.consoleUrl + path;
      return { app, page: await openWebview(browserHere, { platform, url, ...options, app }) };
    });
  },
  signInInApp: async ({ openInApp, serviceHere, email }, provide) => {
    await provide(async (platform, options) => {
      const url = serviceHere.consoleUrl + (await deviceLogin(serviceHere, email));
      const opened = await openInApp(platform, { ...options, url });
      await arrived(opened.page, options?.language);
      return opened;
    });
  },
});

export { expect };
