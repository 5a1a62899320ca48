import type { Browser, Page } from 'playwright/test';
import type { Lab } from '../../../lab/lab.ts';
import type { PlayedSystem } from '../../../stand-in/launch-stand-in.ts';
import type { MenuEntry } from '../../../stand-in/electron/menu.ts';
import type {
  Bounds,
  MessageBoxShown,
  ProtocolClient,
  TrayShown,
} from '../../../stand-in/channel/process-contract.ts';

export interface LaunchOptions {
  /** The built main file; that of the build under test if absent. */
  main?: string;
  /** Folder of the app's settings; a later launch with the same one continues where that one ended. */
  userData: string;
  env: Record<string, string>;
  /** The app and its pages run on the laboratory's user machine; on this one if absent. */
  lab?: Lab | undefined;
  /** A Chromium where the app is to run, which spares the stand-in one of its own. */
  browser?: Browser;
  /** BCP 47 tags, the preferred first. */
  languages?: string[];
  dark?: boolean;
  /** Further arguments of the app. */
  args?: string[];
  /** The file that what it prints goes to, in the place of `output`; real Electron's cannot be chosen. */
  outputFile?: string;
  /** What the app takes its system for; real Electron knows better. */
  system?: PlayedSystem;
  /** Path and query of the page that it begins with; the app's choice if absent. */
  firstPath?: string;
}

/** The running desktop app as its user sees it, whichever host runs it. */
export interface DesktopApp {
  readonly host: 'electron' | 'stand-in';
  /** The app's window. */
  readonly page: Page;
  /** The origin of the app's pages as the page itself sees it. */
  readonly origin: string;
  /** Pages of all the app's windows, the oldest first. */
  windows(): Page[];
  /** Titles of all the app's windows, in the same order. */
  windowTitles(): Promise<string[]>;
  /** What the app has written to its standard streams. */
  output(): string;
  /** Links that the app handed to the system, in order. */
  externalLinks(): Promise<readonly string[]>;
  setDark(dark: boolean): Promise<void>;
  /** The user starts the app once more, or opens a link with it; resolves when that process has ended. */
  startSecondInstance(link?: string): Promise<void>;
  /** The user quits the app. */
  quit(): Promise<void>;
  /** SIGKILL to the app's main process; its windows go with it. */
  kill(): Promise<void>;
  /** Resolves when the app has ended. */
  readonly ended: Promise<unknown>;
  /** What surrounds the app's window; of real Electron's nothing can be seen from outside. */
  readonly surroundings?: Surroundings;
}

/** The desktop around the app's window, as the user sees and uses it. */
export interface Surroundings {
  /** macOS: the user clicks the app's icon in the dock. */
  activate(): Promise<void>;
  /** The schemes that the app has registered. */
  protocolClients(): Promise<ProtocolClient[]>;
  /** Windows: what the app has said of its identity, in order. */
  identity(): Promise<string[]>;
  /** macOS: the user opens a link with the app's scheme. */
  openLink(link: string): Promise<void>;
  /** From now on, the system does not change its list of what it starts at login. */
  keepLoginItems(): Promise<void>;
  /** What ends the app without saying why, such as the Quit of macOS's Dock. */
  quitByDock(): Promise<void>;
  /** The computer is shut down, which then quits the app. */
  shutDown(): Promise<void>;
  /** Windows: the user logs out, or shuts the computer down, which ends the app without closing its windows. */
  endSession(): Promise<void>;
  /** The user closes the window by its title bar. */
  closeWindow(): Promise<void>;
  moveWindow(bounds: Bounds): Promise<void>;
  window(): Promise<{ isVisible: boolean; isMinimized: boolean; hasMenuBar: boolean; bounds: Bounds }>;
  menu(): Promise<MenuEntry[] | null>;
  /** The user chooses the item behind these labels, by the menu or by its keys. */
  chooseInMenu(...labels: string[]): Promise<void>;
  press(accelerator: string): Promise<void>;
  rightClick(on: { isEditable: boolean; selectionText: string }): Promise<MenuEntry[] | null>;
  zoomByWheel(direction: 'in' | 'out'): Promise<void>;
  /** How many requests the app's pages have sent it. */
  asked(): number;
  /**
   * Requests of the window's page on this channel, such as `server.choose`, reach the app once what is returned is
   * called.
   */
  delayRequests(channel: string): () => void;
  tray(): Promise<TrayShown | null>;
  clickTray(): Promise<void>;
  /** The user chooses the item behind these labels. */
  chooseInTray(...labels: string[]): Promise<void>;
  notifications(): Promise<{ title: string; body: string }[]>;
  clickNotification(index: number): Promise<void>;
  messageBox(): Promise<MessageBoxShown | null>;
  answer(button: string): Promise<void>;
  /** The file that is suggested where the app asks for one. */
  saveDialog(): Promise<string | null>;
  /** The user chooses a file, or none. */
  chooseFile(file: string | null): Promise<void>;
}

/** The environment of the app's process: nothing of this machine's desktop session leaks in. */
export function appEnvironment(options: LaunchOptions): Record<string, string> {
  const { PATH = '/usr/bin:/bin', HOME = '/root', NODE_COMPILE_CACHE } = process.env;
  return {
    PATH,
    HOME,
    // What was compiled once is no part of a desktop session, and a third of what a start takes.
    ...(NODE_COMPILE_CACHE !== undefined && { NODE_COMPILE_CACHE }),
    LANG: 'C.UTF-8',
    XDG_CONFIG_HOME: options.userData,
    XDG_RUNTIME_DIR: options.userData,
    // No bus, hence no keychain, unless a test brings one.
    DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent/bus',
    // Nor does it learn on which network this machine is.
    DBUS_SYSTEM_BUS_ADDRESS: 'unix:path=/nonexistent/bus',
    ...(options.lab ? { NODE_EXTRA_CA_CERTS: options.lab.gateway.authorityFile } : {}),
    ...options.env,
  };
}
