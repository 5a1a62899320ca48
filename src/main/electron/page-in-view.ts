import type { BrowserWindow } from 'electron';

/**
 * Tells which page of the window the user sees, whenever that changes: its path, or undefined while there is none to
 * see.
 */
export function followPageInView(window: BrowserWindow, tell: (path: string | undefined) => void): void {
  let told: string | undefined;
  const look = (url: string | undefined) => {
    const path = url === undefined ? undefined : URL.parse(url)?.pathname;
    if (path === told) return;
    told = path;
    tell(path);
  };
  const isInView = () => !window.isDestroyed() && window.isVisible() && !window.isMinimized();
  const seen = () => look(isInView() ? window.webContents.getURL() : undefined);
  window.on('show', seen);
  window.on('restore', seen);
  // It may be in front without having been shown anew.
  window.on('focus', seen);
  window.on('hide', seen);
  window.on('minimize', seen);
  window.on('closed', () => look(undefined));
  window.webContents.on('did-navigate', seen);
  window.webContents.on('did-navigate-in-page', seen);
}
