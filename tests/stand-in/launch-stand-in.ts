import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright';
import { launchChromium, openProfile } from './chromium.ts';
import { createPeer, type Peer } from './channel/peer.ts';
import type { AppProcess } from './channel/process-contract.ts';
import { hostWindows, type HostedWindows } from './pages/window-host.ts';

export interface StandInOptions {
  /** The app's built main file. */
  main: string;
  /** What puts the double into the app's process; from source if absent. */
  register?: string;
  /** Folder of the app's settings and of the Chromium profile. */
  userData: string;
  env: NodeJS.ProcessEnv;
  /** Further arguments of the app. */
  args?: string[];
  /** What the app takes its system for, and how it is installed there. */
  system?: PlayedSystem | undefined;
  /** Path and query of the page that the first window begins with, in the place of the app's choice. */
  firstPath?: string | undefined;
  languages: string[];
  dark: boolean;
  viewport: { width: number; height: number };
  headless?: boolean;
  /** Further switches of Chromium. */
  chromiumArgs?: string[];
  /** What has to be run to run `argv` where the app is to run, e.g. in a network namespace. */
  command?(argv: string[]): string[];
  /** A program that starts Chromium in that same place. */
  chromiumExecutable?: string;
  /** A Chromium that runs already, to be used in the place of one of its own. */
  browser?: Browser;
  onOutput?(text: string): void;
}

/** The system that an app believes to run on; by default this one, with an app that is not installed. */
export interface PlayedSystem {
  platform?: 'linux' | 'darwin' | 'win32';
  isPackaged?: boolean;
  /** The file that starts the app, where that is not the runtime of this process. */
  program?: string;
  /** macOS: the link that starts the app, which an event says before the app is ready. */
  openedBy?: string;
  /** macOS: the system starts the app because its user has signed in. */
  isOpenedAtLogin?: boolean;
}

export interface RunningStandIn {
  readonly process: ChildProcess;
  readonly context: BrowserContext;
  readonly app: Peer<AppProcess>;
  readonly externalLinks: readonly string[];
  readonly pages: () => Page[];
  readonly setDark: (dark: boolean) => Promise<void>;
  /** How many messages the app's pages have sent it. */
  readonly asked: () => number;
  readonly delayMessages: HostedWindows['delayMessages'];
  /** Resolves when both the app's process and its Chromium are gone. */
  readonly ended: Promise<void>;
}

/** How the app's process, and further instances, are told what they run on; read by register.ts and app.ts. */
export const playedEnvironment = ({
  platform,
  isPackaged,
  program,
  openedBy,
  isOpenedAtLogin,
}: PlayedSystem = {}): NodeJS.ProcessEnv => ({
  ...(platform && { STAND_IN_PLATFORM: platform }),
  ...(isPackaged && { STAND_IN_PACKAGED: '1' }),
  ...(program !== undefined && { STAND_IN_PROGRAM: program }),
  ...(openedBy !== undefined && { STAND_IN_OPENED_BY: openedBy }),
  ...(isOpenedAtLogin && { STAND_IN_OPENED_AT_LOGIN: '1' }),
});

/** What puts the double into the app's process. */
export const registerSource = path.join(import.meta.dirname, 'register.ts');

/** The command that starts the app's process; the channel to its pages is added by who runs it. */
export function standInArguments(main: string, userData: string, register = registerSource): string[] {
  return [process.execPath, '--import', register, main, `--user-data-dir=${userData}`];
}

function openContext(options: StandInOptions): Promise<BrowserContext> {
  const { browser, languages, dark, viewport } = options;
  if (browser) return openProfile(browser, { languages, dark, viewport });
  return launchChromium({
    profile: path.join(options.userData, 'Chromium'),
    languages,
    dark,
    viewport,
    ...(options.chromiumExecutable === undefined ? {} : { executablePath: options.chromiumExecutable }),
    ...(options.headless === undefined ? {} : { headless: options.headless }),
    ...(options.chromiumArgs === undefined ? {} : { args: options.chromiumArgs }),
  });
}

/** The names of Windows' pipes become sockets in the app's folder here, and outlive what listens on them. */
async function removePipes(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const name of await readdir(folder)) {
    if (name.startsWith(String.raw`\\.\pipe`)) await rm(path.join(folder, name));
  }
}

/** Runs the built app in a Node process, and its windows in a Chromium profile that ends with it. */
export async function launchStandIn(options: StandInOptions): Promise<RunningStandIn> {
  const context = await openContext(options);
  const argv = [
    ...standInArguments(options.main, options.userData, options.register),
    ...(options.args ?? []),
  ];
  const [file = '', ...args] = options.command?.(argv) ?? argv;
  const isWindows = options.system?.platform === 'win32';
  if (isWindows) await removePipes(options.userData);
  const child = spawn(file, args, {
    env: { ...options.env, ...playedEnvironment(options.system) },
    ...(isWindows && { cwd: options.userData }),
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    serialization: 'advanced',
  });
  child.stdout?.on('data', (chunk: Buffer) => options.onOutput?.(chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => options.onOutput?.(chunk.toString()));
  const side = {};
  const app = createPeer<AppProcess>(child, side);
  const { dark, languages, firstPath } = options;
  const windows = hostWindows(context, app, { dark, languages }, firstPath);
  Object.assign(side, windows.side);
  const ended = once(child, 'exit').then(() => context.close());
  return {
    process: child,
    context,
    app,
    externalLinks: windows.externalLinks,
    pages: windows.pages,
    setDark: windows.setDark,
    asked: windows.asked,
    delayMessages: windows.delayMessages,
    ended,
  };
}
