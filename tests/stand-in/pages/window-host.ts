import type { BrowserContext, Page, Route } from 'playwright';
import { PageWindow } from './page-window.ts';
import type { Peer } from '../channel/peer.ts';
import { originOf, toAppUrl, toChromiumUrl } from './scheme-origin.ts';
import type { AppProcess, SystemInfo, WindowHost, WindowOptions } from '../channel/process-contract.ts';

/** Permissions that a page can ask about, and what Electron's permission handlers call them. */
const permissions = {
  geolocation: 'geolocation',
  notifications: 'notifications',
  camera: 'media',
  microphone: 'media',
  midi: 'midi',
  'clipboard-read': 'clipboard-read',
};

export interface HostedWindows {
  /** The side that the app's process calls. */
  readonly side: WindowHost;
  /** Pages of the windows that are open, the oldest first. */
  readonly pages: () => Page[];
  readonly externalLinks: readonly string[];
  readonly setDark: (dark: boolean) => Promise<void>;
  /** How many messages pages have sent the app. */
  readonly asked: () => number;
  /**
   * Messages of that window's page with this first argument wait on their way to the app until what is returned is
   * called.
   */
  readonly delayMessages: (id: number, firstArgument: string) => () => void;
}

/**
 * Holds the app's windows as pages of `context`; windows of other partitions get contexts of their own. The first page
 * is the one at `firstPath`, if given.
 */
export function hostWindows(
  context: BrowserContext,
  app: Peer<AppProcess>,
  system: SystemInfo,
  firstPath?: string,
): HostedWindows {
  const windows = new Map<number, PageWindow>();
  const contexts = new Map<string | undefined, BrowserContext>([[undefined, context]]);
  const proxies = new Map<string | undefined, { server: string; bypass: string }>();
  const externalLinks: string[] = [];
  let schemes: string[] = [];
  let dark = system.dark;
  let pathToOpen = firstPath;

  const windowOf = (page: Page | null) => [...windows].find(([, window]) => window.page === page);
  const get = (id: number) => {
    const window = windows.get(id);
    if (!window) throw new Error(`no window ${id}`);
    return window;
  };

  async function handle(route: Route, partition: string | undefined): Promise<void> {
    const request = route.request();
    const navigated = request.isNavigationRequest() ? request.frame() : undefined;
    const opener = navigated?.page() ?? (request.serviceWorker() ? null : request.frame().page());
    const entry = windowOf(opener);
    // A page that the app did not open is one that window.open made: the app's handler is asked by event.
    if (!entry) return route.abort('blockedbyclient');
    const [id, window] = entry;
    const url = toAppUrl(request.url());
    if (navigated) {
      const isMainFrame = navigated === window.page.mainFrame();
      const asked = isMainFrame && window.requested === url;
      if (asked) window.requested = undefined;
      const details = { url, isMainFrame, from: toAppUrl(window.page.url()) };
      if (!asked && !(await app.allowsNavigation(id, details))) return route.abort('aborted');
    }
    if (url === request.url()) return route.continue();
    const response = await app.schemeRequest(partition, {
      url,
      method: request.method(),
      headers: request.headers(),
      body: request.postDataBuffer(),
    });
    await route.fulfill({ ...response, body: Buffer.from(response.body) });
  }

  async function contextOf(partition: string | undefined): Promise<BrowserContext> {
    const known = contexts.get(partition);
    if (known) return known;
    const browser = context.browser();
    if (!browser) throw new Error('this Chromium has no other contexts');
    const proxy = proxies.get(partition);
    const colorScheme = dark ? 'dark' : 'light';
    const created = await browser.newContext({ colorScheme, ...(proxy && { proxy }) });
    contexts.set(partition, created);
    await watch(created, partition);
    return created;
  }

  async function watch(watched: BrowserContext, partition: string | undefined): Promise<void> {
    await watched.route('**/*', (route) =>
      handle(route, partition).catch(async () => {
        // The app is going away, and takes the answer with it.
        await route.abort('failed').catch(() => undefined);
      }),
    );
    watched.on('page', (page) => {
      void page.opener().then(async (opener) => opener && (await page.close()));
    });
  }

  async function applyPermissions(id: number, partition: string | undefined, url: string): Promise<void> {
    const granted: string[] = [];
    for (const [name, electronName] of Object.entries(permissions)) {
      if (await app.allowsPermission(id, electronName, originOf(url))) granted.push(name);
    }
    // Playwright denies whatever is not in the list.
    const target = await contextOf(partition);
    await target.grantPermissions(granted, { origin: new URL(toChromiumUrl(url, schemes)).origin });
  }

  const partitions = new Map<number, string | undefined>();
  const side: WindowHost = {
    async start(appSchemes) {
      schemes = appSchemes;
      await watch(context, undefined);
      return { ...system, dark };
    },
    async openWindow(id, options: WindowOptions) {
      partitions.set(id, options.partition);
      windows.set(id, await PageWindow.open(id, await contextOf(options.partition), options, app));
    },
    async load(id, chosen) {
      const window = get(id);
      const url = pathToOpen === undefined ? chosen : new URL(pathToOpen, chosen).href;
      pathToOpen = undefined;
      if (/^https?:/.test(toChromiumUrl(url, schemes))) {
        await applyPermissions(id, partitions.get(id), url);
      }
      window.requested = url;
      // Electron waits as long as Chromium does.
      await window.page.goto(toChromiumUrl(url, schemes), { waitUntil: 'load', timeout: 0 });
    },
    async closeWindow(id) {
      const window = windows.get(id);
      windows.delete(id);
      await window?.page.close();
    },
    deliver: (id, channel, args) => get(id).deliver(channel, args),
    async cookies(partition, url) {
      return (await contextOf(partition)).cookies(url);
    },
    async clearStorage(partition) {
      if (partition === undefined) throw new Error('stand-in: the default session is kept');
      // A partition in memory is nothing but its storage; the next use makes a new one.
      await contexts.get(partition)?.close();
      contexts.delete(partition);
    },
    async setProxy(partition, proxy) {
      if (contexts.has(partition)) throw new Error('stand-in: the proxy of a context in use is not changed');
      proxies.set(partition, proxy);
    },
    async setVisible(id, isVisible) {
      await windows.get(id)?.setVisible(isVisible);
    },
    async setZoom(id, factor) {
      await windows.get(id)?.setZoom(factor);
    },
    async openExternal(url) {
      externalLinks.push(url);
    },
    async setColorScheme(scheme) {
      dark = scheme === 'dark';
      await Promise.all([...windows.values()].map(({ page }) => page.emulateMedia({ colorScheme: scheme })));
    },
  };
  return {
    side,
    externalLinks,
    pages: () => [...windows.values()].map((window) => window.page),
    asked: () => [...windows.values()].reduce((sum, window) => sum + window.asked, 0),
    delayMessages(id, firstArgument) {
      const { delays } = get(id);
      const { promise, resolve } = Promise.withResolvers<void>();
      delays.set(firstArgument, promise);
      return () => {
        delays.delete(firstArgument);
        resolve();
      };
    },
    setDark: async (next) => {
      await side.setColorScheme(next ? 'dark' : 'light');
      await app.systemThemeChanged(next);
    },
  };
}
