import { Socket } from 'node:net';
import type { MacosCalls } from '../../../../../helper/macos/calls/macos-calls.ts';
import { createNetworkPorts } from '../../../../../helper/macos/network-ports.ts';
import type { Log } from '../../../../../helper/log.ts';
import { createCoordinator } from '../../../../../helper/system/coordinator.ts';
import type { JournalEntry } from '../../../../../helper/system/journal/journal-entry.ts';
import type { Journal } from '../../../../../helper/system/journal/journal-file.ts';
import type { Ports } from '../../../../../helper/system/ports/ports.ts';
import type { ProxyProcess } from '../../../../../helper/system/ports/proxy-host-port.ts';
import type { SystemAdapter } from '../../../../../helper/system/system-adapter.ts';
import type { MacosModel, ModelProcess } from '../../../../lab/darwin/model/macos-model.ts';

export const users = { engine: 301, proxy: 302, person: 501 } as const;

/** A journal on a disk that survives helpers. */
export function createModelDisk(): { entry: JournalEntry | undefined } {
  return { entry: undefined };
}

/** What a mutant does in another way. */
export interface Alterations {
  alterCalls?: (calls: MacosCalls) => MacosCalls;
  alterPorts?: (ports: Ports) => Ports;
}

/** A helper with the real coordinator and the real ports of the network on a model of macOS. */
export function startModelledHelper(
  model: MacosModel,
  disk: { entry: JournalEntry | undefined },
  log: Log,
  { alterCalls = (calls) => calls, alterPorts = (ports) => ports }: Alterations = {},
): { adapter: SystemAdapter; ports: Ports; process: ModelProcess } {
  const process = model.startProcess();
  const journal: Journal<JournalEntry> = {
    read: () =>
      Promise.resolve(disk.entry ? { kind: 'entry', entry: disk.entry } : ({ kind: 'empty' } as const)),
    write(entry) {
      disk.entry = entry;
      return Promise.resolve();
    },
    flush: () => Promise.resolve(),
    clear() {
      disk.entry = undefined;
      return Promise.resolve();
    },
  };
  const network = createNetworkPorts({
    calls: alterCalls(process.calls),
    users: () => Promise.resolve(users),
    token: process.token,
    log,
  });
  const ports = alterPorts({ ...network, ...withoutProcesses() });
  return { adapter: createCoordinator({ ports, journal, log }), ports, process };
}

/** What runs programs: these tests have none. */
function withoutProcesses(): Pick<Ports, 'engines' | 'proxies' | 'portals' | 'groups' | 'isSupported'> {
  const none = () => {
    throw new Error('no programs run here');
  };
  return {
    engines: {
      isAvailable: () => Promise.resolve(true),
      command: none,
      ownCommand: none,
      secretFile: none,
      connect: () => new Socket(),
      linkMtu: () => Promise.resolve(undefined),
      datagramPort: () => Promise.resolve(undefined),
      roundTripMs: () => Promise.resolve(undefined),
      endLeftOver: () => Promise.resolve(),
    },
    proxies: {
      isSupported: () => true,
      create: () => Promise.resolve(createProxy()),
      endLeftOver: () => Promise.resolve(),
    },
    portals: { isSupported: () => false, start: none },
    groups: { isSupported: () => false, move: none },
    isSupported: () => true,
  };
}

function createProxy(): ProxyProcess {
  let listening: ProxyProcess['listening'];
  return {
    outlives: false,
    get listening() {
      return listening;
    },
    configure() {
      listening = { port: 8_118, address: '127.0.0.1:8118', pacUrl: 'http://127.0.0.1:8118/x.pac' };
      return Promise.resolve();
    },
    stop() {
      listening = undefined;
    },
  };
}
