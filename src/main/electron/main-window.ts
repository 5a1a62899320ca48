import { app, type BrowserWindow } from 'electron';
import { createListeners } from '../listeners.ts';
import { broughtIntoSight } from '../window/placement.ts';
import { manners } from './desktop-manners.ts';
import { displayAreas } from './displays.ts';

/** The app's only window: open, hidden, or closed and to be opened again. */
export interface MainWindow {
  /** Brings it to the front, or opens it again. */
  show(): void;
  hide(): void;
  minimize(): void;
  /** Whether it is visible. */
  isVisible(): boolean;
  /** Whether the user is looking at it. */
  isInFront(): boolean;
  onFocus(listener: () => void): void;
  /** Calls the listener with the current window and with each one that replaces it. */
  eachWindow(listener: (window: BrowserWindow) => void): void;
}

export interface MainWindowOptions {
  open(): BrowserWindow;
  /** The user closes it. The window stays as it is, and this decides what happens. */
  onClose(): void;
  onClosed(): void;
  /** Its current position should be stored. */
  keepPlace(window: BrowserWindow): void;
}

export function createMainWindow(options: MainWindowOptions): MainWindow {
  let current: BrowserWindow | undefined;
  const focused = createListeners<void>();
  const opened = createListeners<BrowserWindow>();
  let isLeaving = false;
  app.on('before-quit', (event) => {
    isLeaving = !event.defaultPrevented;
  });

  function open(): void {
    const window = options.open();
    current = window;
    opened.emit(window);
    window.on('focus', () => focused.emit());
    window.on('close', (event) => {
      options.keepPlace(window);
      if (isLeaving) return;
      event.preventDefault();
      options.onClose();
    });
    // At the end of a session, Windows ends the app without closing its windows.
    window.on('session-end', () => options.keepPlace(window));
    window.on('closed', () => {
      current = undefined;
      options.onClosed();
    });
  }

  open();
  return {
    show() {
      if (!current) return open();
      bringIntoSight(current);
      if (current.isMinimized()) current.restore();
      current.show();
      current.focus();
    },
    hide: () => hide(current),
    minimize: () => current?.minimize(),
    onFocus: (listener) => focused.add(listener),
    eachWindow(listener) {
      opened.add(listener);
      if (current) listener(current);
    },
    isVisible: () => current?.isVisible() ?? false,
    isInFront: () => current !== undefined && current.isVisible() && current.isFocused(),
  };
}

function bringIntoSight(window: BrowserWindow): void {
  // Systems put these on a display that is there.
  if (window.isMaximized() || window.isFullScreen()) return;
  const bounds = broughtIntoSight(window.getNormalBounds(), displayAreas());
  if (bounds) window.setBounds(bounds);
}

function hide(window: BrowserWindow | undefined): void {
  if (!manners.leavesFullScreenToHide || !window?.isFullScreen()) return window?.hide();
  window.once('leave-full-screen', () => window.hide());
  window.setFullScreen(false);
}
