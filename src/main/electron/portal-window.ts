import { BrowserWindow, session } from 'electron';
import type { OpenPortalWindow } from '../tunnel/portal-sign-in.ts';
import { sizeInSight } from './displays.ts';
import { denyPermissions, sandboxed } from './lockdown.ts';

let windows = 0;

/**
 * Shows a network's sign-in page: without a preload, with an in-memory session that ends with the window, all requests
 * through the given proxy (loopback too, which Chromium leaves out by default), web pages only.
 */
export const openPortalWindow: OpenPortalWindow = async ({ address, proxyPort, signal }) => {
  windows += 1;
  const browsing = session.fromPartition(`portal-${windows}`, { cache: false });
  denyPermissions(browsing);
  browsing.on('will-download', (event) => event.preventDefault());
  await browsing.setProxy({
    mode: 'fixed_servers',
    proxyRules: `http://127.0.0.1:${proxyPort}`,
    proxyBypassRules: '<-loopback>',
  });
  if (signal.aborted) return;
  const window = new BrowserWindow({
    ...sizeInSight({ width: 520, height: 720 }),
    title: windowTitle(address),
    webPreferences: { ...sandboxed, session: browsing },
  });
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  window.on('closed', () => resolve());
  lockToWeb(window);
  // Only the title bar shows which page asks for input, so the page must not change it.
  window.on('page-title-updated', (event) => event.preventDefault());
  window.webContents.on('did-navigate', (_event, url) => window.setTitle(windowTitle(url)));
  signal.addEventListener('abort', () => !window.isDestroyed() && window.destroy(), { once: true });
  // A page that cannot be loaded shows Chromium's own error page; the user may close it.
  window.loadURL(address).catch(() => undefined);
  await closed;
  await browsing.clearStorageData();
};

/** The host comes first, so that nothing can push it out of sight. */
const windowTitle = (url: string) => `${URL.parse(url)?.host || '…'} – Waymaker`;

const isWeb = (url: string) => ['http:', 'https:'].includes(URL.parse(url)?.protocol ?? '');

function lockToWeb(window: BrowserWindow): void {
  const { webContents } = window;
  const stay = (event: { preventDefault(): void; url: string; isMainFrame: boolean }) => {
    // Frames may be empty documents of the page's own (about:blank, about:srcdoc).
    const isEmptyFrame = !event.isMainFrame && event.url.startsWith('about:');
    if (!isWeb(event.url) && !isEmptyFrame) event.preventDefault();
  };
  webContents.on('will-frame-navigate', stay);
  webContents.on('will-redirect', stay);
  webContents.on('will-attach-webview', (event) => event.preventDefault());
  // The system's browser would not get through.
  webContents.setWindowOpenHandler(({ url }) => {
    if (isWeb(url)) window.loadURL(url).catch(() => undefined);
    return { action: 'deny' };
  });
}
