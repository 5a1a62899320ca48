import { BrowserWindow, session } from 'electron';
import type { OpenAppView } from '../mini-apps-host.ts';
import { sizeInSight } from './displays.ts';
import { denyPermissions, openExternal, sandboxed } from './lockdown.ts';

const views = new Set<BrowserWindow>();
let opened = 0;

/**
 * Shows a mini-app in its own window: without a preload and so without a bridge, with an in-memory session that only
 * this window uses, for web pages only, without permissions and downloads.
 */
export const openAppView: OpenAppView = (link, title) => {
  opened += 1;
  const browsing = session.fromPartition(`app-view-${opened}`, { cache: false });
  denyPermissions(browsing);
  browsing.on('will-download', (event) => event.preventDefault());
  const least = sizeInSight({ width: 360, height: 480 });
  const view = new BrowserWindow({
    ...sizeInSight({ width: 960, height: 720 }),
    minWidth: least.width,
    minHeight: least.height,
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
  // Only the title bar shows where the user is, so the page must not change it.
  view.on('page-title-updated', (event) => event.preventDefault());
  view.webContents.on('did-navigate', (_event, url) => view.setTitle(viewTitle(url, title)));
  return isShown(view, link);
};

/** Loads a link into a view. A view that has nothing to show is closed, and the result is false. */
function isShown(view: BrowserWindow, link: string): Promise<boolean> {
  return new Promise((resolve) => {
    view.webContents.once('did-navigate', () => resolve(true));
    view.once('closed', () => resolve(true));
    view.loadURL(link).catch((error: unknown) => {
      // A page that redirects immediately is shown all the same.
      if (String(error).includes('ERR_ABORTED')) return;
      resolve(false);
      if (!view.isDestroyed()) view.destroy();
    });
  });
}

/** When the app's window closes, the views that were opened from it close too. */
export function closeAppViews(): void {
  for (const view of views) view.destroy();
}

/** The host comes first, so that a long name cannot push it out of sight. */
function viewTitle(url: string, title: string): string {
  const host = URL.parse(url)?.host;
  return host ? `${host} – ${title}` : title;
}

function lockToWeb(view: BrowserWindow): void {
  const { webContents } = view;
  const stay = (event: { preventDefault(): void; url: string; isMainFrame: boolean }) => {
    const protocol = URL.parse(event.url)?.protocol;
    const isWeb = protocol === 'https:' || protocol === 'http:';
    // Frames may be empty documents of the page itself (about:blank, about:srcdoc).
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
