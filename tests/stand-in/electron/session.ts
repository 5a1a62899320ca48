import type Electron from 'electron';
import { appSide, host } from '../channel/app-side.ts';
import { openWindow } from './open-windows.ts';
import { createProtocol } from './protocol.ts';
import { StrictEmitter, strict } from './strict.ts';

type Implemented = Pick<
  Electron.Session,
  | 'setPermissionRequestHandler'
  | 'setPermissionCheckHandler'
  | 'setDevicePermissionHandler'
  | 'clearStorageData'
  | 'setProxy'
>;
type CheckHandler = Parameters<Electron.Session['setPermissionCheckHandler']>[0];
type RequestHandler = Parameters<Electron.Session['setPermissionRequestHandler']>[0];
type Permission = Parameters<NonNullable<RequestHandler>>[1];

class Session extends StrictEmitter implements Implemented {
  private checkHandler: CheckHandler = null;
  private requestHandler: RequestHandler = null;
  readonly partition: string | undefined;
  readonly protocol;
  readonly cookies;

  constructor(partition: string | undefined) {
    super('session');
    this.partition = partition;
    this.protocol = createProtocol(partition);
    this.cookies = strict('cookies', {
      get: async (filter: Electron.CookiesGetFilter) =>
        (await host.cookies(partition, filter.url)).filter(
          (cookie) => filter.name === undefined || cookie.name === filter.name,
        ),
    });
    this.clearStorageData = () => host.clearStorage(partition);
  }

  setPermissionRequestHandler = (handler: RequestHandler): void => {
    this.requestHandler = handler;
  };
  setPermissionCheckHandler = (handler: CheckHandler): void => {
    this.checkHandler = handler;
  };
  setDevicePermissionHandler = (): void => undefined;
  clearStorageData: () => Promise<void>;
  setProxy = async (config: Electron.ProxyConfig): Promise<void> => {
    const { mode, proxyRules, proxyBypassRules = '' } = config;
    if (mode !== 'fixed_servers' || proxyRules === undefined) {
      throw new Error('stand-in: only fixed proxies are implemented');
    }
    await host.setProxy(this.partition, { server: proxyRules, bypass: proxyBypassRules });
  };

  /** Granted only if neither handler refuses; Electron grants what no handler was set for. */
  allows(id: number, permission: string, origin: string): boolean {
    const contents = openWindow(id)?.webContents as unknown as Electron.WebContents;
    const asked = permission as Permission;
    const details = { isMainFrame: true, requestingUrl: origin, securityOrigin: origin };
    if (this.checkHandler && !this.checkHandler(contents, asked, origin, details)) return false;
    let granted = this.requestHandler === null;
    this.requestHandler?.(contents, asked, (answer) => (granted = answer), details);
    return granted;
  }
}

const sessions = new Map<string | undefined, Session>();

export function sessionOf(partition: string | undefined): Session {
  const known = sessions.get(partition);
  if (known) return known;
  const created = new Session(partition);
  sessions.set(partition, created);
  return created;
}

export const session = strict('session', {
  get defaultSession() {
    return sessionOf(undefined);
  },
  fromPartition: (partition: string) => sessionOf(partition),
});

appSide.allowsPermission = (id, permission, origin) =>
  sessionOf(openWindow(id)?.webContents.partition).allows(id, permission, origin);
