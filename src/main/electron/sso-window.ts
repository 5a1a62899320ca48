import { BrowserWindow, session, type BrowserWindowConstructorOptions, type Session } from 'electron';
import type { BrowserSignIn, OpenBrowser, SingleSignOn } from '../gateway/sign-in/single-sign-on.ts';
import { isSamePage } from '../gateway/sign-in/same-page.ts';
import { isSignInPage, mayOpenWindow } from '../gateway/sign-in/sign-in-windows.ts';
import { sizeInSight } from './displays.ts';
import { denyPermissions, sandboxed } from './lockdown.ts';

let windows = 0;

/**
 * Signs in to a gateway by browser, in a separate window: without a preload, with an in-memory session that is used
 * once, https pages only. Windows that its pages open, as some do to sign in, are of the same kind, and close with it.
 */
export const openSsoWindow: OpenBrowser = (request, signal) => {
  windows += 1;
  const browsing = session.fromPartition(`sso-${windows}`, { cache: false });
  denyPermissions(browsing);
  browsing.on('will-download', (event) => event.preventDefault());
  const first = new BrowserWindow({
    ...appearance(request.loginUrl),
    webPreferences: { ...sandboxed, session: browsing },
  });
  const open = new Set<BrowserWindow>();

  return new Promise((resolve) => {
    const finish = (end: BrowserSignIn) => {
      resolve(end);
      for (const window of open) if (!window.isDestroyed()) window.destroy();
      void browsing.clearStorageData();
    };
    const watch = (window: BrowserWindow) => {
      open.add(window);
      window.on('closed', () => {
        open.delete(window);
        if (window === first) finish({ kind: 'cancelled' });
      });
      lockToHttps(window);
      // Only the title bar shows which page asks for a password, so the page must not change it.
      window.on('page-title-updated', (event) => event.preventDefault());
      window.webContents.on('did-navigate', (_event, url) => {
        if (!window.isDestroyed()) window.setTitle(windowTitle(url));
        if (!isSamePage(url, request.finalUrl)) return;
        void readCookies(browsing, request).then(finish, () => finish({ kind: 'refused' }));
      });
      // Those that pages open get the session of the page.
      window.webContents.setWindowOpenHandler(({ url }) =>
        mayOpenWindow(url, open.size)
          ? {
              action: 'allow',
              overrideBrowserWindowOptions: { ...plain, ...appearance(url), webPreferences: sandboxed },
            }
          : { action: 'deny' },
      );
      window.webContents.on('did-create-window', watch);
    };
    watch(first);
    signal.addEventListener('abort', () => finish({ kind: 'cancelled' }), { once: true });
    // A page that cannot be loaded shows Chromium's own error page; the user may close it.
    first.loadURL(request.loginUrl).catch(() => undefined);
  });
};

const appearance = (url: string) => ({
  ...sizeInSight({ width: 520, height: 720 }),
  title: windowTitle(url),
});

/** Electron would have a page choose these for the windows that it opens, in the third argument of `window.open`. */
const plain = {
  show: true,
  frame: true,
  titleBarStyle: 'default',
  transparent: false,
  opacity: 1,
  closable: true,
  movable: true,
  fullscreen: false,
  simpleFullscreen: false,
  kiosk: false,
  alwaysOnTop: false,
  skipTaskbar: false,
} as const satisfies BrowserWindowConstructorOptions;

/** The host comes first, so that nothing can push it out of sight. */
const windowTitle = (url: string) => `${URL.parse(url)?.host || '…'} – Waymaker`;

/** On the final page, the gateway has put a token or an error into a cookie. */
async function readCookies(browsing: Session, request: SingleSignOn): Promise<BrowserSignIn> {
  const cookies = await browsing.cookies.get({ url: request.finalUrl });
  const valueOf = (name: string | undefined) => cookies.find((cookie) => cookie.name === name)?.value;
  const token = valueOf(request.tokenCookie);
  return token && !valueOf(request.errorCookie) ? { kind: 'token', token } : { kind: 'refused' };
}

function lockToHttps(window: BrowserWindow): void {
  const stay = (event: { preventDefault(): void; url: string }) => {
    if (!isSignInPage(event.url)) event.preventDefault();
  };
  window.webContents.on('will-frame-navigate', stay);
  window.webContents.on('will-redirect', stay);
  window.webContents.on('will-attach-webview', (event) => event.preventDefault());
}
