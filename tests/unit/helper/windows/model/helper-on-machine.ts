import { readRouting } from '../../../../../helper/modes/read-routing.ts';
import type { Log } from '../../../../../helper/log.ts';
import { createCoordinator } from '../../../../../helper/system/coordinator.ts';
import type { Journal } from '../../../../../helper/system/journal/journal-file.ts';
import type { JournalEntry } from '../../../../../helper/system/journal/journal-entry.ts';
import type { Ports } from '../../../../../helper/system/ports/ports.ts';
import type { Connection, SystemAdapter } from '../../../../../helper/system/system-adapter.ts';
import type {
  DeviceConfiguration,
  TunnelDevice,
} from '../../../../../helper/system/ports/tunnel-device-port.ts';
import type { WindowsCalls } from '../../../../../helper/windows/calls/windows-calls.ts';
import { createNetworkPorts } from '../../../../../helper/windows/network-ports.ts';
import { createTunnelInterface } from '../../../../../helper/windows/routing/tunnel-interface.ts';
import type { Routing } from '#shared/tunnel/state.ts';
import { untilTestEnds } from '../../support/until-test-ends.ts';
import type { Machine } from './machine.ts';
import { Life, mortal } from './helper-life.ts';

export const gateway = { address: '198.51.100.2', port: 443 };
export const programs = {
  engine: { file: 'C:\\Program Files\\Waymaker\\engine.exe', sid: 'S-1-5-80-1-2-3-4-5' },
  proxy: { file: 'C:\\Program Files\\Waymaker\\proxy.exe', sid: 'S-1-5-80-5-4-3-2-1' },
};
/** How the filter knows them: with the user of a helper that could not start them as another one. */
const helperUser = 'S-1-5-18';
export const identities = {
  engine: { file: programs.engine.file, sids: [programs.engine.sid, helperUser] },
  proxy: { file: programs.proxy.file, sids: [programs.proxy.sid, helperUser] },
};
export const owner = 'S-1-5-21-1-2-3-1001';
const proxyPort = 1_080;
export const tunnelResolver = '10.9.0.53';

export const connectionOf = (routing: Routing, killSwitch: boolean): Connection => ({
  gateway: { host: 'gateway.example', port: gateway.port },
  address: gateway.address,
  routing: readRouting(routing),
  killSwitch,
  owner,
});

/** `end`: of the tunnel's addresses. */
export const configurationWith = (end = 2) => ({
  addresses: { ipv4: `10.9.0.${end}`, ipv6: `2001:db8:9::${end}` },
  mtu: 1_400,
  dns: { servers: [tunnelResolver], searchDomains: ['corp.example'] },
});

/** What outlives a helper on the disk. */
export interface Disk {
  entry?: JournalEntry;
}

const journalOn = (disk: Disk, life: Life): Journal<JournalEntry> => ({
  read: async () => (disk.entry ? { kind: 'entry', entry: disk.entry } : { kind: 'empty' }),
  async write(entry) {
    life.expect();
    disk.entry = entry;
  },
  flush: async () => undefined,
  async clear() {
    life.expect();
    delete disk.entry;
  },
});

/** The helper's own coordinator with the ports for Windows; adapter, engine and proxy are played. */
export function startHelper(
  machine: Machine,
  disk: Disk,
  {
    log,
    life = new Life(),
    change = (calls) => calls,
  }: { log: Log; life?: Life; change?: (calls: WindowsCalls) => WindowsCalls },
): SystemAdapter {
  const ports = untilTestEnds(portsOn(machine, { log, life, calls: change(mortal(machine.calls, life)) }));
  return createCoordinator({ ports, journal: journalOn(disk, life), log });
}

/** The ports for Windows on that machine. */
export function portsOn(
  machine: Machine,
  { log, life = new Life(), calls = machine.calls }: { log: Log; life?: Life; calls?: WindowsCalls },
): Ports {
  const tunnel = () => machine.tunnel;
  return {
    ...createNetworkPorts({ calls, programs: identities, tunnel, log }),
    device: deviceOf(machine, calls, { life, log }),
    connections: { end: async () => undefined },
    engines: {
      isAvailable: async () => true,
      command: notPlayed,
      ownCommand: notPlayed,
      secretFile: notPlayed,
      connect: notPlayed,
      linkMtu: async () => undefined,
      datagramPort: async () => undefined,
      roundTripMs: async () => undefined,
      endLeftOver: async () => undefined,
    },
    proxies: {
      isSupported: () => true,
      create: async () => ({
        outlives: false,
        listening: {
          address: `127.0.0.1:${proxyPort}`,
          pacUrl: `http://127.0.0.1:${proxyPort}/0123456789abcdef.pac`,
          port: proxyPort,
        },
        configure: async () => undefined,
        stop: () => undefined,
      }),
      endLeftOver: async () => undefined,
    },
    portals: { isSupported: () => false, start: notPlayed },
    groups: { isSupported: () => false, move: notPlayed },
    isSupported: () => true,
  };
}

function notPlayed(): never {
  throw new Error('this is not played');
}

function deviceOf(
  machine: Machine,
  calls: WindowsCalls,
  { life, log }: { life: Life; log: Log },
): TunnelDevice {
  let configured: DeviceConfiguration | undefined;
  let isCreated = false;
  const tunnelInterface = () => {
    if (machine.tunnel === undefined) throw new Error('there is no adapter');
    return createTunnelInterface({ ipHelper: calls.ipHelper, luid: machine.tunnel, log });
  };
  return {
    name: 'Waymaker',
    handle: { name: 'Waymaker', packetHeader: 'length', open: notPlayed },
    exists: () => machine.tunnel !== undefined,
    async create() {
      life.expect();
      machine.createTunnel();
      isCreated = true;
    },
    async configure(given) {
      configured = given;
      await tunnelInterface().configure(given);
    },
    async removeAddresses(old) {
      const gone = old.filter((address) => !configured?.addresses.includes(address));
      tunnelInterface().removeAddresses(gone);
    },
    async remove() {
      isCreated = false;
      configured = undefined;
      life.expect();
      machine.removeTunnel();
    },
    statistics: () => undefined,
    receivedPackets: () => undefined,
    openEcho: () => undefined,
    async verify() {
      if (!isCreated) return 'unset';
      if (machine.tunnel === undefined) return 'changed';
      if (!configured) return 'in-force';
      return createTunnelInterface({ ipHelper: calls.ipHelper, luid: machine.tunnel, log }).verify(
        configured,
      );
    },
    async restore() {
      if (!isCreated) return;
      life.expect();
      if (machine.tunnel === undefined) machine.createTunnel();
      if (configured) await tunnelInterface().configure(configured);
    },
    watch: (onChange) => calls.ipHelper.watch(onChange),
  };
}
