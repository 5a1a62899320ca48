import { BrowserWindow, session } from 'electron';
import type { OpenAppView } from '../apps-host.ts';
import { denyPermissions, openExternal, sandboxed } from './lockdown.ts';

const views = new Set<BrowserWindow>();
let opened = 0;

/**
 * Shows a mini-app in a window of its own: no preload, hence no bridge; a session that lives in memory, is
 * this window's only and ends with it; web pages only; no permissions and no downloads.
 */
export const openAppView: OpenAppView = (link, title) => {
  opened += 1;
  const browsing = session.fromPartition(`app-view-${opened}`, { cache: false });
  denyPermissions(browsing);
  browsing.on('will-download', (event) => event.preventDefault());
  const view = new BrowserWindow({
    width: 960,
    height: 720,
    minWidth: 360,
    minHeight: 480,
    title: viewTitle(link, title),
    webPreferences: {
      ...sandboxed,
      session: browsing,
    },
  });
  views.add(view);
  view.on('closed', () => {
    views.delete(view);
    void browsing.clearStorageData();
  });
  lockToWeb(view);
  // The title bar is the only thing that tells where the user is: it is ours, not the page's.
  view.on('page-title-updated', (event) => event.preventDefault());
  view.webContents.on('did-navigate', (_event, url) => view.setTitle(viewTitle(url, title)));
  return isShown(view, link);
};

/** Loads a link into a view; a view that has nothing to show is closed again, and false. */
function isShown(view: BrowserWindow, link: string): Promise<boolean> {
  return new Promise((resolve) => {
    view.webContents.once('did-navigate', () => resolve(true));
    view.once('closed', () => resolve(true));
    view.loadURL(link).catch((error: unknown) => {
      // A page that at once moves on to another one is shown all the same.
      if (String(error).includes('ERR_ABORTED')) return;
      resolve(false);
      if (!view.isDestroyed()) view.destroy();
    });
  });
}

/** With the app's window go the views that were opened from it. */
export function closeAppViews(): void {
  for (const view of views) view.destroy();
}

/** The host stands first, where a long name cannot push it out of sight. */
function viewTitle(url: string, title: string): string {
  const host = URL.parse(url)?.host;
  return host ? `${host} – ${title}` : title;
}

function lockToWeb(view: BrowserWindow): void {
  const { webContents } = view;
  const stay = (event: { preventDefault(): void; url: string; isMainFrame: boolean }) => {
    const protocol = URL.parse(event.url)?.protocol;
    const isWeb = protocol === 'https:' || protocol === 'http:';
    // Frames may be empty documents of the page's own (about:blank, about:srcdoc).
    if (!isWeb && (event.isMainFrame || protocol !== 'about:')) event.preventDefault();
  };
  webContents.on('will-frame-navigate', stay);
  webContents.on('will-redirect', stay);
  webContents.on('will-attach-webview', (event) => event.preventDefault());
  webContents.setWindowOpenHandler(({ url }) => {
    if (/^https?:/i.test(url)) void openExternal(url);
    return { action: 'deny' };
  });
}
