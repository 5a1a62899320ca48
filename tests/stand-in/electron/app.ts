import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type Electron from 'electron';
import { appSide, host } from '../channel/app-side.ts';
import { createLoginItems } from './login-items.ts';
import { becomeOnlyInstance } from './only-instance.ts';
import { openWindows } from './open-windows.ts';
import { registeredSchemes, setStarted } from './scheme-registry.ts';
import { createEvent, StrictEmitter } from './strict.ts';
import type { ProtocolClient, SystemInfo } from '../channel/process-contract.ts';

type Implemented = Pick<
  Electron.App,
  | 'whenReady'
  | 'isReady'
  | 'quit'
  | 'exit'
  | 'relaunch'
  | 'getPath'
  | 'setPath'
  | 'getAppPath'
  | 'getAppMetrics'
  | 'getName'
  | 'setName'
  | 'getVersion'
  | 'getLocale'
  | 'getSystemLocale'
  | 'getPreferredSystemLanguages'
  | 'requestSingleInstanceLock'
  | 'hasSingleInstanceLock'
  | 'releaseSingleInstanceLock'
  | 'setAsDefaultProtocolClient'
  | 'getLoginItemSettings'
  | 'setLoginItemSettings'
  | 'setAppUserModelId'
  | 'setToastActivatorCLSID'
  | 'isPackaged'
  | 'name'
>;

function switchValue(name: string): string | undefined {
  return process.argv.find((argument) => argument.startsWith(`--${name}=`))?.slice(name.length + 3);
}

/** The package that the app's main file belongs to, as Electron finds it. */
function findPackage(): { folder: string; name: string; version: string } {
  for (let folder = path.dirname(process.argv[1] ?? ''); ; folder = path.dirname(folder)) {
    try {
      const parsed: unknown = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
      const { name, version } = parsed as { name: string; version: string };
      return { folder, name, version };
    } catch {
      if (folder === path.dirname(folder)) throw new Error('stand-in: the main file is in no package');
    }
  }
}

const appPackage = findPackage();

class App extends StrictEmitter implements Implemented {
  name = appPackage.name;
  readonly isPackaged = process.env['STAND_IN_PACKAGED'] === '1';
  private readonly paths = new Map<string, string>();
  private system: SystemInfo | undefined;
  private quitting = false;
  private readonly ready: Promise<void>;

  constructor() {
    super('app');
    // Electron becomes ready after the main file's first turn, so that it can set things up before.
    this.ready = new Promise((resolve) => {
      setImmediate(() => {
        setStarted();
        const { STAND_IN_OPENED_BY } = process.env;
        if (STAND_IN_OPENED_BY !== undefined) this.emit('open-url', createEvent({}), STAND_IN_OPENED_BY);
        host.start(registeredSchemes()).then(
          (system) => {
            this.system = system;
            appSide.systemThemeChanged?.(system.dark);
            resolve();
            this.emit('ready', createEvent({}), {});
          },
          () => process.exit(1),
        );
      });
    });
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => this.quit());
  }

  whenReady = () => this.ready;
  isReady = () => this.system !== undefined;

  quit = (): void => {
    if (this.quitting) return;
    this.quitting = true;
    const before = createEvent({});
    this.emit('before-quit', before);
    if (before.defaultPrevented) {
      this.quitting = false;
      return;
    }
    void Promise.all(openWindows().map((window) => window.closeAndWait())).then((closed) => {
      if (closed.includes(false)) this.quitting = false;
      else this.leave();
    });
  };

  /** The last window is gone. Without a listener Electron quits. */
  allWindowsClosed(): void {
    if (this.quitting) return;
    if (!this.emit('window-all-closed')) this.quit();
  }

  private leave(): void {
    const will = createEvent({});
    this.emit('will-quit', will);
    if (will.defaultPrevented) {
      this.quitting = false;
      return;
    }
    this.exit(0);
  }

  private next: { execPath: string; args: string[] } | undefined;
  relaunch = ({ execPath = process.execPath, args = process.argv.slice(1) } = {}): void => {
    this.next = { execPath, args };
  };

  exit = (exitCode = 0): void => {
    this.emit('quit', createEvent({}), exitCode);
    // Electron's starts it once this process has ended, and so does a shell that waits for its input to end.
    if (this.next) {
      const { execPath, args } = this.next;
      const words = ['-c', 'cat >/dev/null; exec "$@"', 'sh', execPath, ...args];
      spawn('sh', words, { stdio: ['pipe', 'ignore', 'ignore'], detached: true }).unref();
    }
    process.exit(exitCode);
  };

  getPath = (name: Parameters<Electron.App['getPath']>[0]): string => {
    const known = this.paths.get(name);
    if (known !== undefined) return known;
    const appData = process.env['XDG_CONFIG_HOME'] ?? path.join(os.homedir(), '.config');
    const userData = switchValue('user-data-dir') ?? path.join(appData, this.name);
    const places: Partial<Record<typeof name, string>> = {
      home: os.homedir(),
      appData,
      userData,
      sessionData: userData,
      logs: path.join(userData, 'logs'),
      documents: path.join(os.homedir(), 'Documents'),
      temp: os.tmpdir(),
      exe: process.execPath,
    };
    const place = places[name];
    if (place === undefined) throw new Error(`stand-in: app.getPath('${name}') is not implemented`);
    if (place === userData) mkdirSync(userData, { recursive: true });
    return place;
  };
  setPath = (name: string, folder: string): void => {
    this.paths.set(name, folder);
  };
  getAppPath = () => appPackage.folder;
  getAppMetrics = (): Electron.ProcessMetric[] => {
    const { rss } = process.memoryUsage();
    const kilobytes = Math.round(rss / 1024);
    return [
      {
        pid: process.pid,
        type: 'Browser',
        creationTime: performance.timeOrigin,
        cpu: { percentCPUUsage: 0, idleWakeupsPerSecond: 0 },
        memory: { workingSetSize: kilobytes, peakWorkingSetSize: kilobytes },
      },
    ];
  };
  getName = () => this.name;
  setName = (name: string): void => {
    this.name = name;
  };
  getVersion = () => appPackage.version;

  private readySystem(): SystemInfo {
    if (!this.system) throw new Error('the app is not ready yet');
    return this.system;
  }
  getLocale = () => this.readySystem().languages[0] ?? 'en-US';
  getSystemLocale = () => this.readySystem().languages[0] ?? 'en-US';
  getPreferredSystemLanguages = () => [...this.readySystem().languages];

  readonly protocolClients: ProtocolClient[] = [];
  setAsDefaultProtocolClient = (
    protocol: string,
    program = process.execPath,
    args: string[] = [],
  ): boolean => {
    this.protocolClients.push({ protocol, path: program, args });
    return true;
  };

  /** What Windows was told of the app, in this order. */
  readonly identity: string[] = [];
  setAppUserModelId = (id: string): void => {
    this.identity.push(this.onlyOnWindows(id));
  };
  setToastActivatorCLSID = (id: string): void => {
    this.identity.push(this.onlyOnWindows(id));
  };
  private onlyOnWindows(id: string): string {
    if (process.platform !== 'win32')
      throw new Error('stand-in: only on Windows does an app have an identity');
    if (openWindows().length > 0) throw new Error('stand-in: there is a window already');
    return id;
  }

  private readonly loginItems = createLoginItems(() => this.getPath('userData'));
  getLoginItemSettings = this.loginItems.get;
  setLoginItemSettings = this.loginItems.set;

  private instance: { release(): void } | undefined;
  requestSingleInstanceLock = (): boolean => {
    this.instance ??= becomeOnlyInstance(this.getPath('userData'), (argv, folder) => {
      this.emit('second-instance', createEvent({}), argv, folder, undefined);
    });
    return this.instance !== undefined;
  };
  hasSingleInstanceLock = () => this.instance !== undefined;
  releaseSingleInstanceLock = (): void => {
    this.instance?.release();
    this.instance = undefined;
  };
}

export const app = new App();

appSide.userQuits = () => app.quit();
appSide.userActivates = () => void app.emit('activate', createEvent({}), false);
appSide.protocolClients = () => app.protocolClients;
appSide.identity = () => app.identity;
appSide.userOpensLink = (url) => void app.emit('open-url', createEvent({}), url);
