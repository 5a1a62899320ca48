import type { MenuEntry } from '../electron/menu.ts';

/** What the two processes of the stand-in ask of each other. URLs are the app's own (`waymaker://app/…`). */

export interface WindowOptions {
  width: number;
  height: number;
  /** Absolute path of the preload script. */
  preload: string | undefined;
  /** Session partition; undefined for the default session. */
  partition: string | undefined;
}

export interface SystemInfo {
  dark: boolean;
  /** BCP 47 tags, the preferred first. */
  languages: string[];
}

export interface NavigationDetails {
  url: string;
  isMainFrame: boolean;
  /** The window's own address at the time. */
  from: string;
}

export interface FrameInfo {
  url: string;
  isMainFrame: boolean;
}

export interface SchemeRequest {
  url: string;
  method: string;
  headers: Record<string, string>;
  body: Uint8Array | null;
}

export interface SchemeResponse {
  status: number;
  headers: Record<string, string>;
  body: Uint8Array;
}

/** How a message or an exception crosses: the structured clone, or the text of the error. */
export type InvokeOutcome = { ok: true; value: unknown } | { ok: false; error: string };

/** The process that holds the pages. */
export interface WindowHost {
  /** The app is up; resolves when it may be told that it is ready. */
  start(schemes: string[]): Promise<SystemInfo>;
  openWindow(id: number, options: WindowOptions): Promise<void>;
  /** Rejects like `loadURL`, with Chromium's error code in the message. */
  load(id: number, url: string): Promise<void>;
  closeWindow(id: number): Promise<void>;
  deliver(id: number, channel: string, args: unknown[]): Promise<void>;
  cookies(partition: string | undefined, url: string | undefined): Promise<CookieInfo[]>;
  clearStorage(partition: string | undefined): Promise<void>;
  /** Before the partition has any window. */
  setProxy(partition: string | undefined, proxy: { server: string; bypass: string }): Promise<void>;
  openExternal(url: string): Promise<void>;
  setColorScheme(scheme: 'light' | 'dark'): Promise<void>;
  /** How much larger than written everything in the page is drawn. */
  setZoom(id: number, factor: number): Promise<void>;
  /** Whether the user can see the window. */
  setVisible(id: number, isVisible: boolean): Promise<void>;
}

/** The icon in the tray as the user sees it; the picture is a data URL. */
export interface TrayShown {
  tooltip: string;
  picture: string;
  menu: MenuEntry[];
}

export interface MessageBoxShown {
  message: string;
  detail: string;
  buttons: string[];
}

/** The command that opens links with this scheme: the link follows its arguments. */
export interface ProtocolClient {
  protocol: string;
  path: string;
  args: string[];
}

export interface Bounds {
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface CookieInfo {
  name: string;
  value: string;
  domain: string;
  path: string;
  secure: boolean;
  httpOnly: boolean;
}

export type WindowEvent =
  | { type: 'did-navigate'; url: string }
  | { type: 'did-navigate-in-page'; url: string }
  | { type: 'dom-ready' }
  | { type: 'did-finish-load' }
  | { type: 'page-title-updated'; title: string }
  | { type: 'render-process-gone' }
  | { type: 'gone' };

/** The app's process. */
export interface AppProcess {
  windowEvent(id: number, event: WindowEvent): void;
  invoke(id: number, frame: FrameInfo, channel: string, args: unknown[]): Promise<InvokeOutcome>;
  message(id: number, frame: FrameInfo, channel: string, args: unknown[]): void;
  schemeRequest(partition: string | undefined, request: SchemeRequest): Promise<SchemeResponse>;
  /** Whether the app lets a page navigate itself. */
  allowsNavigation(id: number, details: NavigationDetails): boolean;
  /** Whether the app lets a page open a window; the stand-in opens none itself. */
  windowOpened(id: number, details: { url: string; frameName: string; features: string }): 'deny';
  /** What the app's permission handlers say for a page of its own. */
  allowsPermission(id: number, permission: string, origin: string): boolean;
  systemThemeChanged(dark: boolean): void;
  /** The user closes a window by its title bar. */
  userClosesWindow(id: number): void;
  /** The user quits the app, e.g. by its menu. */
  userQuits(): void;
  /** macOS: the user clicks the app's icon in the dock. */
  userActivates(): void;
  /** The schemes that the app has registered, in order. */
  protocolClients(): ProtocolClient[];
  /** Windows: what the app has said of its identity, in order. */
  identity(): string[];
  /** macOS: the user opens a link with the app's scheme. */
  userOpensLink(url: string): void;
  /** From now on, the system does not change its list of what it starts at login. */
  systemKeepsLoginItems(): void;
  /** What the title bars say, the oldest window first. */
  windowTitles(): string[];
  /** Whether the user can see a window, and where it is. */
  windowShown(id: number): { isVisible: boolean; isMinimized: boolean; hasMenuBar: boolean; bounds: Bounds };
  /** The user moves a window, and changes its size. */
  userMovesWindow(id: number, bounds: Bounds): void;
  trayShown(): TrayShown | null;
  /** The app's menu; null if it has none. */
  menuShown(): MenuEntry[] | null;
  userChoosesInMenu(labels: string[]): void;
  /** The user presses the keys of an item of the app's menu, as Electron writes them. */
  userPresses(accelerator: string): void;
  /** The user clicks into a page with the other button; `on`: what is there. */
  userRightClicks(id: number, on: { isEditable: boolean; selectionText: string }): void;
  /** The menu that came of it. */
  contextMenuShown(): MenuEntry[] | null;
  /** The user turns the wheel with Ctrl held. */
  userZooms(id: number, direction: 'in' | 'out'): void;
  /** The user clicks the icon itself. */
  userClicksTray(): void;
  /** The user chooses the item behind these labels, from the menu down to it. */
  userChoosesInTray(labels: string[]): void;
  /** All that were shown, the oldest first. */
  notificationsShown(): { title: string; body: string }[];
  userClicksNotification(index: number): void;
  /** The box that waits for an answer. */
  messageBox(): MessageBoxShown | null;
  /** The file that the dialog suggests which asks for one. */
  saveDialog(): string | null;
  /** The user chooses a file, or none. */
  userChoosesFile(file: string | null): void;
  /** The computer goes to sleep, or wakes. */
  systemSleeps(isAsleep: boolean): void;
  /** Windows: the user logs out, or the computer is shut down; the app is ended by other means. */
  systemEndsSession(): void;
  /** Linux and macOS: the computer is about to be shut down; the app is ended by other means. */
  systemShutsDown(): void;
  /** The user chooses the button with this label. */
  userAnswers(button: string): void;
}
