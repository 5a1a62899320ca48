import { app, type BrowserWindow } from 'electron';
import { createListeners } from '../listeners.ts';

/** The app's one window: there, hidden, or to be opened again. */
export interface MainWindow {
  /** Brings it before the user, whatever has become of it. */
  show(): void;
  hide(): void;
  minimize(): void;
  /** Whether it can be looked at. */
  isVisible(): boolean;
  /** Whether the user looks at it. */
  isInFront(): boolean;
  onFocus(listener: () => void): void;
  /** Called with the window that there is, and with those that take its place. */
  eachWindow(listener: (window: BrowserWindow) => void): void;
}

export interface MainWindowOptions {
  open(): BrowserWindow;
  /** The user closes it, which leaves it as it is: what happens is decided here. */
  onClose(): void;
  onClosed(): void;
  /** Where it is now is worth keeping. */
  keepPlace(window: BrowserWindow): void;
}

export function createMainWindow(options: MainWindowOptions): MainWindow {
  let current: BrowserWindow | undefined;
  const focused = createListeners<void>();
  const opened = createListeners<BrowserWindow>();
  let isLeaving = false;
  app.on('before-quit', () => {
    isLeaving = true;
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
    window.on('closed', () => {
      current = undefined;
      options.onClosed();
    });
  }

  open();
  return {
    show() {
      if (!current) return open();
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

/** A full-screen window of macOS that is hidden leaves a black screen behind. */
function hide(window: BrowserWindow | undefined): void {
  if (process.platform !== 'darwin' || !window?.isFullScreen()) return window?.hide();
  window.once('leave-full-screen', () => window.hide());
  window.setFullScreen(false);
}
