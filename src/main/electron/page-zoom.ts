import type { BrowserWindow } from 'electron';
import { nextZoom, type ZoomStep } from '../preferences/zoom-levels.ts';
import type { Settings } from '../preferences/settings.ts';

/** How large the app's pages are drawn: as the user chose, by the menu, its shortcuts or the wheel, also in an earlier run. */
export interface PageZoom {
  attach(window: BrowserWindow): void;
  step(step: ZoomStep): void;
}

export function createPageZoom(settings: Settings): PageZoom {
  const windows = new Set<BrowserWindow>();
  const level = () => settings.get('zoomLevel');
  const apply = ({ webContents }: BrowserWindow) => webContents.setZoomLevel(level());

  function step(how: ZoomStep): void {
    settings.set('zoomLevel', nextZoom(level(), how));
    for (const window of windows) apply(window);
  }

  return {
    attach(window) {
      windows.add(window);
      window.on('closed', () => void windows.delete(window));
      // Chromium has one for each address, of its own choice, until it is told.
      window.webContents.on('dom-ready', () => apply(window));
      window.webContents.on('zoom-changed', (_event, direction) => step(direction));
    },
    step,
  };
}
