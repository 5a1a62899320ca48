import path from 'node:path';
import { BrowserWindow, nativeTheme, protocol, screen } from 'electron';
import type { Logger } from 'pino';
import { isOwnPage, pageScheme, pageUrl } from '../page/page-address.ts';
import { servePage } from '../page/page-files.ts';
import type { ThemeChoice } from '#shared/host/contract.ts';
import type { WindowPlace } from '../preferences/settings.ts';
import { minSize, placeWindow } from '../window/placement.ts';
import { lockNavigation, sandboxed } from './lockdown.ts';

/** Has to run before the app is ready; the scheme then counts as a secure origin with its own storage. */
export function declarePageScheme(): void {
  protocol.registerSchemesAsPrivileged([
    {
      scheme: pageScheme,
      privileges: { standard: true, secure: true, supportFetchAPI: true, codeCache: true },
    },
  ]);
}

/** Serves the built renderer in `rendererFolder` under the app's own scheme; pages may send reports to an address. */
export function servePages(
  rendererFolder: string,
  reportAddress: string | undefined,
  probePages: () => readonly string[],
): void {
  const root = path.resolve(rendererFolder);
  const reportOrigin = reportAddress && new URL(reportAddress).origin;
  protocol.handle(pageScheme, (request) =>
    servePage({ root, reportOrigin, probePages: probePages() }, request),
  );
}

/** What people open the app for; who is not signed in gets there by signing in. */
const firstPath = '/vpn';

/** Opens the app's window; unless it is to be hidden, it shows itself as soon as the first picture is there, in the theme's colour. */
export function openPageWindow(options: {
  preload: string;
  developmentUrl: string | undefined;
  /** What the page may load into hidden frames, to see whether there is a network. */
  probePages: () => readonly string[];
  /** Where it was the last time. */
  place: WindowPlace | undefined;
  theme: ThemeChoice;
  /** Until somebody shows it. */
  isHidden: boolean;
  log: Logger;
}): BrowserWindow {
  const { preload, developmentUrl, probePages, place, theme, isHidden, log } = options;
  const displays = screen.getAllDisplays().map(({ workArea }) => workArea);
  const isDark = theme === 'system' ? nativeTheme.shouldUseDarkColors : theme === 'dark';
  const window = new BrowserWindow({
    ...placeWindow(place, displays),
    minWidth: minSize.width,
    minHeight: minSize.height,
    show: false,
    // A page in a window that has not been shown yet takes itself for visible, unless told so: it would ask and draw.
    paintWhenInitiallyHidden: !isHidden,
    title: 'Waymaker',
    autoHideMenuBar: true,
    backgroundColor: isDark ? '#0e1412' : '#f5f7f5',
    webPreferences: {
      ...sandboxed,
      preload,
    },
  });
  lockNavigation(
    window.webContents,
    (url, isMainFrame) => isOwnPage(url, developmentUrl) || (!isMainFrame && probePages().includes(url)),
  );
  window.once('show', () => {
    if (place?.isMaximized) window.maximize();
  });
  if (!isHidden) window.once('ready-to-show', () => window.show());
  window.loadURL(new URL(firstPath, developmentUrl ?? pageUrl).href).catch((error: unknown) => {
    log.error({ err: error }, 'the page could not be loaded');
  });
  return window;
}

/** Where the window is, for the next time. */
export const placeOf = (window: BrowserWindow): WindowPlace => ({
  bounds: window.getNormalBounds(),
  isMaximized: window.isMaximized(),
});
