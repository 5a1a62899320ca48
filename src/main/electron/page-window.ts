import path from 'node:path';
import { BrowserWindow, nativeTheme, protocol } from 'electron';
import type { Logger } from 'pino';
import { connectPath, isOwnPage, pageScheme, pageUrl } from '../page/page-address.ts';
import { servePage } from '../page/page-files.ts';
import type { ThemeChoice } from '#shared/host/common-contract.ts';
import type { WindowPlace } from '../preferences/settings.ts';
import { minSizeOn, placeWindow } from '../window/placement.ts';
import { displayAreas } from './displays.ts';
import { lockNavigation, sandboxed } from './lockdown.ts';

/** Must run before the app is ready. The scheme then counts as a secure origin with its own storage. */
export function declarePageScheme(): void {
  protocol.registerSchemesAsPrivileged([
    {
      scheme: pageScheme,
      privileges: { standard: true, secure: true, supportFetchAPI: true, codeCache: true },
    },
  ]);
}

/**
 * Serves the built renderer from `rendererFolder` under the app's own scheme; pages may send reports to one address.
 */
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

/**
 * Opens the app's window. Unless it should be hidden, it appears when its first frame is ready, in the theme's
 * background colour.
 */
export function openPageWindow(options: {
  preload: string;
  developmentUrl: string | undefined;
  /** The pages that the page may load into hidden frames to see whether there is a network. */
  probePages: () => readonly string[];
  /** Its last position. */
  place: WindowPlace | undefined;
  theme: ThemeChoice;
  /** Until it is shown. */
  isHidden: boolean;
  log: Logger;
}): BrowserWindow {
  const { preload, developmentUrl, probePages, place, theme, isHidden, log } = options;
  const displays = displayAreas();
  const isDark = theme === 'system' ? nativeTheme.shouldUseDarkColors : theme === 'dark';
  const least = minSizeOn(displays);
  const window = new BrowserWindow({
    ...placeWindow(place, displays),
    minWidth: least.width,
    minHeight: least.height,
    show: false,
    // Otherwise, a page in a window that was never shown would count as visible, and send requests and draw.
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
  const show = () => window.show();
  if (!isHidden) window.once('ready-to-show', show);
  window.once('show', () => {
    // The user may have opened it earlier, and closed it again since.
    window.off('ready-to-show', show);
    if (place?.isMaximized) window.maximize();
  });
  window.loadURL(new URL(connectPath, developmentUrl ?? pageUrl).href).catch((error: unknown) => {
    log.error({ err: error }, 'the page could not be loaded');
  });
  return window;
}

/** The window's position, for the next start. */
export const placeOf = (window: BrowserWindow): WindowPlace => ({
  bounds: window.getNormalBounds(),
  isMaximized: window.isMaximized(),
});
