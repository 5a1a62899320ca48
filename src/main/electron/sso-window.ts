import { BrowserWindow, session } from 'electron';
import type { OpenBrowser, SingleSignOn } from '../gateway/single-sign-on.ts';
import { denyPermissions } from './lockdown.ts';

let windows = 0;

/**
 * Signs in to a gateway by browser, in a window of its own: no preload, a session that lives in memory only
 * and is used once, https pages only.
 */
export const openSsoWindow: OpenBrowser = (request, signal) => {
  windows += 1;
  const browsing = session.fromPartition(`sso-${windows}`, { cache: false });
  denyPermissions(browsing);
  browsing.on('will-download', (event) => event.preventDefault());
  const window = new BrowserWindow({
    width: 520,
    height: 720,
    title: 'Waymaker',
    webPreferences: { session: browsing, sandbox: true, contextIsolation: true, nodeIntegration: false },
  });
  lockToHttps(window);

  return new Promise((resolve) => {
    const finish = (token: string | undefined) => {
      resolve(token);
      if (!window.isDestroyed()) window.destroy();
      void browsing.clearStorageData();
    };
    window.on('closed', () => resolve(undefined));
    signal.addEventListener('abort', () => finish(undefined), { once: true });
    window.webContents.on('did-navigate', (_event, url) => {
      if (!isSamePage(url, request.finalUrl)) return;
      void readToken(window, request).then(finish, () => finish(undefined));
    });
    // A page that cannot be loaded shows Chromium's own error page; the user may close it.
    window.loadURL(request.loginUrl).catch(() => undefined);
  });
};

async function readToken(window: BrowserWindow, request: SingleSignOn): Promise<string | undefined> {
  const cookies = await window.webContents.session.cookies.get({ url: request.finalUrl });
  return cookies.find((cookie) => cookie.name === request.tokenCookie)?.value || undefined;
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

function isSamePage(url: string, page: string): boolean {
  const here = URL.parse(url);
  const there = URL.parse(page);
  return here !== null && here.origin === there?.origin && here.pathname === there.pathname;
}
