import type Electron from 'electron';
import { app } from './app.ts';
import { appSide, host } from '../channel/app-side.ts';
import { Menu } from './menu.ts';
import { forgetWindow, openWindow, openWindows, rememberWindow, type OpenWindow } from './open-windows.ts';
import type { Bounds, WindowEvent } from '../channel/process-contract.ts';
import { createEvent, StrictEmitter } from './strict.ts';
import { WebContents } from './web-contents.ts';

type Implemented = Pick<
  Electron.BrowserWindow,
  | 'id'
  | 'loadURL'
  | 'show'
  | 'hide'
  | 'focus'
  | 'restore'
  | 'minimize'
  | 'close'
  | 'destroy'
  | 'isDestroyed'
  | 'isVisible'
  | 'isMinimized'
  | 'isFocused'
  | 'setTitle'
  | 'getTitle'
  | 'getNormalBounds'
  | 'setBounds'
  | 'isMaximized'
  | 'maximize'
  | 'isFullScreen'
>;

let lastId = 0;

/** What a window of Electron's is safe by; the stand-in has pages of this kind only. */
function checkPreferences(preferences: Electron.WebPreferences): void {
  if (
    preferences.nodeIntegration ||
    preferences.contextIsolation === false ||
    preferences.sandbox === false
  ) {
    throw new Error('stand-in: only sandboxed, context-isolated windows without Node are implemented');
  }
  if (preferences.webviewTag || preferences.webSecurity === false || preferences.nodeIntegrationInSubFrames) {
    throw new Error('stand-in: webviews, Node in frames and unsafe pages are not implemented');
  }
}

function partitionOf(session: Electron.Session | undefined): string | undefined {
  return session === undefined ? undefined : (session as unknown as { partition?: string }).partition;
}

export class BrowserWindow extends StrictEmitter implements Implemented, OpenWindow {
  readonly id = ++lastId;
  readonly webContents: WebContents;
  private visible: boolean;
  private minimized = false;
  private maximized = false;
  private bounds: Bounds;
  private shownOnce = false;
  private readonly paintsHidden: boolean;
  private title: string;
  private readonly autoHideMenuBar: boolean;

  constructor(options: Electron.BrowserWindowConstructorOptions = {}) {
    super('BrowserWindow');
    const preferences = options.webPreferences ?? {};
    checkPreferences(preferences);
    if (!app.isReady()) throw new Error('Cannot create BrowserWindow before app is ready');
    this.visible = options.show ?? true;
    this.paintsHidden = options.paintWhenInitiallyHidden ?? true;
    this.title = options.title ?? app.name;
    this.autoHideMenuBar = options.autoHideMenuBar ?? false;
    const { x = 0, y = 0, width = 800, height = 600 } = options;
    this.bounds = { x, y, width, height };
    const partition = preferences.partition ?? partitionOf(preferences.session);
    const opened = host.openWindow(this.id, {
      width,
      height,
      preload: preferences.preload,
      partition,
    });
    opened.catch(() => this.gone());
    this.webContents = new WebContents(this.id, partition, opened);
    rememberWindow(this);
    app.emit('web-contents-created', createEvent({}), this.webContents);
    app.emit('browser-window-created', createEvent({}), this);
  }

  static getAllWindows = (): BrowserWindow[] =>
    openWindows().filter((window): window is BrowserWindow => window instanceof BrowserWindow);
  static fromWebContents = (contents: WebContents): BrowserWindow | null =>
    BrowserWindow.getAllWindows().find((window) => window.webContents === contents) ?? null;
  static getFocusedWindow = (): BrowserWindow | null => BrowserWindow.getAllWindows().at(-1) ?? null;

  loadURL = (url: string): Promise<void> => this.webContents.loadURL(url);
  isDestroyed = () => this.webContents.isDestroyed();
  isVisible = () => this.visible && !this.minimized;
  isMinimized = () => this.minimized;
  isFocused = () => this.isVisible();
  isMaximized = () => this.maximized;
  isFullScreen = () => false;
  getNormalBounds = () => ({ ...this.bounds });
  setBounds = (bounds: Partial<Electron.Rectangle>): void => {
    this.bounds = { ...this.bounds, ...bounds };
  };
  getTitle = () => this.title;

  show = (): void => {
    this.visible = true;
    this.tellVisible();
    this.emit('show');
  };
  hide = (): void => {
    this.visible = false;
    this.tellVisible();
    this.emit('hide');
  };
  focus = (): void => {
    this.emit('focus', createEvent({}));
  };
  minimize = (): void => {
    this.minimized = true;
    this.tellVisible();
    this.emit('minimize');
  };
  restore = (): void => {
    this.minimized = false;
    this.tellVisible();
    this.emit('restore');
  };
  maximize = (): void => {
    this.maximized = true;
    this.emit('maximize');
  };
  hasMenuBar = () => Menu.getApplicationMenu() !== null && !this.autoHideMenuBar;
  userMoves(bounds: Bounds): void {
    this.bounds = bounds;
  }
  private tellVisible(): void {
    void host.setVisible(this.id, this.isVisible()).catch(() => undefined);
  }
  setTitle = (title: string): void => {
    this.title = title;
  };

  close = (): void => void this.closeAndWait();
  destroy = (): void => {
    this.gone();
    void host.closeWindow(this.id).catch(() => undefined);
  };

  async closeAndWait(): Promise<boolean> {
    if (this.isDestroyed()) return true;
    const event = createEvent({});
    this.emit('close', event);
    if (event.defaultPrevented) return false;
    await host.closeWindow(this.id);
    this.gone();
    return true;
  }

  private gone(): void {
    if (!openWindow(this.id)) return;
    forgetWindow(this.id);
    this.webContents.destroy();
    this.emit('closed');
    if (openWindows().length === 0) app.allWindowsClosed();
  }

  receive(event: WindowEvent): void {
    this.webContents.receive(event);
    if (event.type === 'gone') this.gone();
    if (event.type === 'page-title-updated') {
      const titled = createEvent({});
      this.emit('page-title-updated', titled, event.title, true);
      if (!titled.defaultPrevented) this.title = event.title;
    }
    // Electron tells it at the first picture; here the first document stands for that.
    if (event.type === 'dom-ready' && !this.shownOnce) {
      this.shownOnce = true;
      if (this.paintsHidden) this.emit('ready-to-show', createEvent({}));
    }
    // Each document is told again.
    if (event.type === 'dom-ready' && !this.isVisible()) this.tellVisible();
  }
}

appSide.windowEvent = (id, event) => openWindow(id)?.receive(event);
appSide.allowsNavigation = (id, details) => openWindow(id)?.webContents.allowsNavigation(details) ?? false;
appSide.windowOpened = (id, details) => openWindow(id)?.webContents.windowOpened(details) ?? 'deny';
appSide.windowTitles = () => BrowserWindow.getAllWindows().map((window) => window.getTitle());
appSide.windowShown = (id) => {
  const window = shownWindow(id);
  return {
    isVisible: window.isVisible(),
    isMinimized: window.isMinimized(),
    hasMenuBar: window.hasMenuBar(),
    bounds: window.getNormalBounds(),
  };
};
appSide.userRightClicks = (id, on) => shownWindow(id).webContents.userRightClicks(on);
appSide.userZooms = (id, direction) =>
  void shownWindow(id).webContents.emit('zoom-changed', createEvent({}), direction);
appSide.userMovesWindow = (id, bounds) => shownWindow(id).userMoves(bounds);
appSide.systemEndsSession = () => {
  for (const window of BrowserWindow.getAllWindows())
    window.emit('session-end', createEvent({ reasons: ['shutdown'] }));
};
appSide.userClosesWindow = (id) => void openWindow(id)?.closeAndWait();

function shownWindow(id: number): BrowserWindow {
  const window = BrowserWindow.getAllWindows().find((one) => one.id === id);
  if (!window) throw new Error(`no window ${id}`);
  return window;
}
