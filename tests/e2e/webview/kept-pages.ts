import type { Browser, Page } from 'playwright/test';
import { closeContext } from '../support/screens/close-context.ts';
import { arrived, deviceLogin } from '../support/tunnel/sign-in.ts';
import { openConsole } from '../support/service/web-console.ts';
import { answerJsonRpc, eventText } from './json-rpc-app.ts';
import { deliverToPage, openWebview, type WebviewOptions } from './open-webview.ts';
import { createWebviewApp, type Platform, type WebviewApp } from './webview-app.ts';
import { test as base } from './webview-fixtures.ts';

/** A page that outlives the test it was opened for. */
interface Kept {
  readonly page: Page;
  /** A test has changed what cannot be put back. */
  isSpoiled: boolean;
  isInUse: boolean;
  /** The app around it, if it is in a webview. */
  app?: WebviewApp;
}

/** What of a page, or its context, stays for good. */
const spoiling = {
  page: ['addInitScript', 'emulateMedia', 'exposeBinding', 'setViewportSize'],
  context: ['addInitScript', 'route'],
  clock: ['install', 'setFixedTime', 'setSystemTime'],
} as const;

function keep(page: Page, app?: WebviewApp): Kept {
  const kept: Kept = { page, isSpoiled: false, isInUse: false, ...(app && { app }) };
  const parts = { page, context: page.context(), clock: page.clock };
  for (const [part, names] of Object.entries(spoiling)) {
    const owner = parts[part as keyof typeof parts] as unknown as Record<
      string,
      (...all: unknown[]) => unknown
    >;
    for (const name of names) {
      const original = owner[name]!.bind(owner);
      owner[name] = (...all) => {
        kept.isSpoiled = true;
        return original(...all);
      };
    }
  }
  return kept;
}

/** What tests listen to. */
const heard = ['console', 'dialog', 'download', 'pageerror', 'popup', 'request', 'requestfailed', 'response'];

/** Leaves nothing of who was there before, in a process that has drawn our pages already. */
async function clean({ page }: Kept, url: string): Promise<void> {
  for (const other of page.context().pages()) if (other !== page) await other.close();
  for (const event of heard) page.removeAllListeners(event);
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.context().clearPermissions();
  // Of the same origin, and without our pages, which would write again.
  const nowhere = new URL('/nowhere', url).href;
  await page.route(nowhere, (route) => route.fulfill({ contentType: 'text/html', body: '' }));
  await page.goto(nowhere);
  await page.evaluate(() => {
    localStorage.clear();
    sessionStorage.clear();
  });
  await page.unroute(nowhere);
}

/** Those of this worker, which end with its browser: a new one costs twice as much as one that is loaded again. */
const all = new Map<string, Kept>();

/**
 * For files whose tests begin alike: their `openedConsole` and `signedInConsole`, and the webviews that they open with
 * no more than an app or an address, are one page of each kind, for all such files of a worker. A test finds it with
 * the routes, the storage and the app of a new one. A page whose clock, window or start a test has changed is thrown
 * away; after a test that failed, Playwright goes on in another process.
 */
export function keepPagesHere() {
  /** The page of that kind if there is one to go on with, and else a new one; it shows `url`. */
  async function open(kind: string, url: string, make: () => Promise<Kept>, app?: WebviewApp): Promise<Kept> {
    let kept = all.get(kind);
    if (kept) {
      if (app) surround(kept, app);
      await kept.page.goto(url);
    } else {
      kept = await make();
      all.set(kind, kept);
    }
    return kept;
  }

  const openKeptConsole = async (browser: Browser, consoleUrl: string, path = '') => {
    const { page } = await open('console', consoleUrl + path, async () =>
      keep(await openConsole(browser, { consoleUrl }, { path })),
    );
    return page;
  };

  /** Until the next test of that kind it does nothing: what it would still load and ask, nobody waits for. */
  const leave = async (kind: string, url: string) => {
    const kept = all.get(kind);
    if (!kept) return;
    kept.isInUse = false;
    if (kept.isSpoiled || kept.page.isClosed()) {
      all.delete(kind);
      await closeContext(kept.page.context());
      return;
    }
    if (kept.app) kept.app.emit = () => undefined;
    await clean(kept, url);
  };

  return base.extend({
    // As it is elsewhere, but for what is kept.
    browserHere: async ({ workerBrowser }, provide) => {
      const others = new Set(workerBrowser.contexts());
      await provide(workerBrowser);
      for (const { page } of all.values()) others.add(page.context());
      const opened = workerBrowser.contexts().filter((context) => !others.has(context));
      await Promise.all(opened.map(closeContext));
    },
    openedConsole: async ({ workerBrowser, serviceHere }, provide) => {
      await provide(await openKeptConsole(workerBrowser, serviceHere.consoleUrl));
      await leave('console', serviceHere.consoleUrl);
    },
    signedInConsole: async ({ workerBrowser, serviceHere, email }, provide) => {
      const path = await deviceLogin(serviceHere, email);
      const page = await openKeptConsole(workerBrowser, serviceHere.consoleUrl, path);
      await arrived(page);
      await provide(page);
      await leave('console', serviceHere.consoleUrl);
    },
    openInApp: async ({ workerBrowser, openInApp, serviceHere }, provide) => {
      const used = new Set<Platform>();
      await provide(async (platform, options = {}) => {
        const {
          app = createWebviewApp(platform),
          path = '/',
          url = serviceHere.consoleUrl + path,
          ...rest
        } = options;
        const isOther = Object.keys(rest).length > 0 || all.get(platform)?.isInUse === true;
        if (isOther) return await openInApp(platform, options);
        const make = () => openKeptWebview(workerBrowser, { platform, url, app });
        const opened = await open(platform, url, make, app);
        opened.isInUse = true;
        used.add(platform);
        return { app, page: opened.page };
      });
      for (const platform of used) await leave(platform, serviceHere.consoleUrl);
    },
  });
}

/** From now on, this is the app around the page. */
function surround(kept: Kept, app: WebviewApp): void {
  kept.app = app;
  app.emit = (channel, payload) => void deliverToPage(kept.page, eventText(channel, payload));
}

async function openKeptWebview(
  browser: Browser,
  options: Pick<WebviewOptions, 'url' | 'app'> & { platform: Platform },
): Promise<Kept> {
  let kept: Kept | undefined;
  const page = await openWebview(browser, {
    ...options,
    answer: () => (text) => answerJsonRpc(kept?.app ?? options.app)(text),
  });
  kept = keep(page, options.app);
  return kept;
}
