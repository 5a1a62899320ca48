import { pino } from 'pino';
import type { ServerGroup } from '#shared/entities.ts';
import type { TunnelState } from '#shared/tunnel/state.ts';
import { createCore } from '../../../src/main/core/create-core.ts';
import { createLossWatch } from '../../../src/main/diagnostics/loss-cause.ts';
import { createDesktopHost } from '../../../src/main/desktop-host.ts';
import type { KeyValueFile } from '../../../src/main/preferences/settings.ts';
import { names } from '../../lab/network/addresses.ts';

/**
 * The desktop app without its windows, run on the laboratory's user machine: `node app-process.ts JSON`. Its
 * parent says what the user does over the process channel, and is told when it was done and what came of it.
 */

export interface AppArguments {
  readonly helperSocket: string;
  readonly deviceId: string;
  readonly token: string;
}

/** What the user does. */
export type AppCommand =
  /** `page`: what the window shows; undefined: it is hidden. */
  | { do: 'look'; page: string | undefined }
  | { do: 'choose' }
  | { do: 'connect'; address: string }
  | { do: 'disconnect' };

export type AppReport =
  /** The app has its helper and knows who is signed in. */
  | { report: 'ready' }
  /** The request has been handed to the host contract, at this time in milliseconds since the epoch. */
  | { report: 'asked'; at: number }
  | { report: 'state'; state: TunnelState };

const { helperSocket, deviceId, token } = JSON.parse(process.argv[2] ?? '') as AppArguments;

/** What the service would list. */
const listedGroup: ServerGroup = {
  id: 'bench',
  name: 'Bench',
  isTrial: true,
  trialExpiredAt: null,
  items: [{ id: 'bench', level: 1, servers: [{ serverId: 'bench', name: 'Bench', domain: names.gateway }] }],
};

/** What the service would hand out for its gateway. */
const logins = JSON.stringify({
  token,
  logins: [{ domain: names.gateway, port: 443, username: deviceId, password: token }],
});

function memoryFile(values: Record<string, unknown>): KeyValueFile {
  const entries = new Map(Object.entries(values));
  return {
    get: (key) => entries.get(key),
    set: (key, value) => void entries.set(key, value),
    delete: (key) => void entries.delete(key),
    clear: () => entries.clear(),
  };
}

function tell(report: AppReport): void {
  process.send?.(report);
}

const core = createCore({
  environment: { apiUrl: 'http://service.invalid', helperSocket },
  version: '0.0.0',
  lang: 'en',
  settingsFile: memoryFile({ deviceId }),
  pageFile: memoryFile({}),
  listsFile: { read: () => undefined, write: () => undefined, remove: () => undefined },
  addressListsFile: { read: () => undefined, write: () => undefined, remove: () => undefined },
  connectionLogFile: memoryFile({}),
  lossWatch: createLossWatch(),
  appLog: () => [],
  planFile: memoryFile({ plan: { groups: [listedGroup] } }),
  keychain: {
    read: async (account) => (account === deviceId ? token : logins),
    write: async () => {},
    remove: async () => {},
  },
  runProgram: async () => undefined,
  session: {},
  openBrowser: async () => ({ kind: 'cancelled' }),
  openPortalWindow: async () => undefined,
  log: pino({ level: 'error' }, pino.destination(2)),
});
const server = createDesktopHost({
  core,
  openExternal: async () => false,
  openAppView: async () => false,
  openAppLink: async () => false,
  saveText: async () => 'cancelled',
  emit(channel, payload) {
    if (channel === 'tunnel.stateChanged') tell({ report: 'state', state: payload as TunnelState });
  },
});

process.on('message', (command: AppCommand) => {
  const at = performance.timeOrigin + performance.now();
  if (command.do === 'look') core.setPageInView(command.page);
  if (command.do === 'choose') void server.handle('server.choose', 'bench');
  if (command.do === 'connect') void server.handle('tunnel.connect', { address: command.address });
  if (command.do === 'disconnect') void server.handle('tunnel.disconnect', undefined);
  tell({ report: 'asked', at });
});

await server.handle('session.get', undefined);
await server.handle('tunnel.snapshot', undefined);
tell({ report: 'ready' });
