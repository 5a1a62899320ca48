import type { BrowserWindow } from 'electron';
import { nextZoom, type ZoomStep } from '../preferences/zoom-levels.ts';
import type { Settings } from '../preferences/settings.ts';

/** The size of the app's pages, which the user changes by menu, shortcut or wheel; kept over restarts. */
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
      // Chromium has its own zoom level for each address until it is set.
      window.webContents.on('dom-ready', () => apply(window));
      window.webContents.on('zoom-changed', (_event, direction) => step(direction));
    },
    step,
  };
}
