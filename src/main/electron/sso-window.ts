import { BrowserWindow, session } from 'electron';
import type { BrowserSignIn, OpenBrowser, SingleSignOn } from '../gateway/sign-in/single-sign-on.ts';
import { isSamePage } from '../gateway/sign-in/same-page.ts';
import { sizeInSight } from './displays.ts';
import { denyPermissions, sandboxed } from './lockdown.ts';

let windows = 0;

/**
 * Signs in to a gateway by browser, in a separate window: without a preload, with an in-memory session that is used
 * once, https pages only.
 */
export const openSsoWindow: OpenBrowser = (request, signal) => {
  windows += 1;
  const browsing = session.fromPartition(`sso-${windows}`, { cache: false });
  denyPermissions(browsing);
  browsing.on('will-download', (event) => event.preventDefault());
  const window = new BrowserWindow({
    ...sizeInSight({ width: 520, height: 720 }),
    title: windowTitle(request.loginUrl),
    webPreferences: { ...sandboxed, session: browsing },
  });
  lockToHttps(window);
  // Only the title bar shows which page asks for a password, so the page must not change it.
  window.on('page-title-updated', (event) => event.preventDefault());

  return new Promise((resolve) => {
    const finish = (end: BrowserSignIn) => {
      resolve(end);
      if (!window.isDestroyed()) window.destroy();
      void browsing.clearStorageData();
    };
    window.on('closed', () => finish({ kind: 'cancelled' }));
    signal.addEventListener('abort', () => finish({ kind: 'cancelled' }), { once: true });
    window.webContents.on('did-navigate', (_event, url) => {
      if (!window.isDestroyed()) window.setTitle(windowTitle(url));
      if (!isSamePage(url, request.finalUrl)) return;
      void readCookies(window, request).then(finish, () => finish({ kind: 'refused' }));
    });
    // A page that cannot be loaded shows Chromium's own error page; the user may close it.
    window.loadURL(request.loginUrl).catch(() => undefined);
  });
};

/** The host comes first, so that nothing can push it out of sight. */
const windowTitle = (url: string) => `${URL.parse(url)?.host || '…'} – Waymaker`;

/** On the final page, the gateway has put a token or an error into a cookie. */
async function readCookies(window: BrowserWindow, request: SingleSignOn): Promise<BrowserSignIn> {
  const cookies = await window.webContents.session.cookies.get({ url: request.finalUrl });
  const valueOf = (name: string | undefined) => cookies.find((cookie) => cookie.name === name)?.value;
  const token = valueOf(request.tokenCookie);
  return token && !valueOf(request.errorCookie) ? { kind: 'token', token } : { kind: 'refused' };
}

function lockToHttps(window: BrowserWindow): void {
  const stay = (event: { preventDefault(): void; url: string }) => {
    if (URL.parse(event.url)?.protocol !== 'https:') event.preventDefault();
  };
  window.webContents.on('will-frame-navigate', stay);
  window.webContents.on('will-redirect', stay);
  window.webContents.on('will-attach-webview', (event) => event.preventDefault());
  window.webContents.setWindowOpenHandler(() => ({ action: 'deny' }));
}
