import { z } from 'zod/mini';
import type { Guarded } from '../system/ports/guarded.ts';
import type { Ports } from '../system/ports/ports.ts';
import { SystemChangeFailed } from '../system/ports/system-change-failed.ts';

const why = 'this Windows lacks functions that tunnels need';
const refuse = (): never => {
  throw new SystemChangeFailed(why);
};
const reject = () => Promise.reject(new SystemChangeFailed(why));
const nothing = async () => undefined;
const noWatch = () => () => undefined;

/** Where nothing is ever set. */
const unset: Guarded = { verify: async () => 'unset', restore: nothing, watch: noWatch };

/**
 * Where the system lacks functions, as wine does: the helper runs and says that there are no tunnels. What another
 * helper has changed stays in its journal, since this one cannot undo it.
 */
export const unsupportedPorts: Ports = {
  device: {
    ...unset,
    name: 'Waymaker',
    handle: { name: 'Waymaker', packetHeader: 'length', open: refuse },
    exists: () => false,
    create: reject,
    configure: reject,
    removeAddresses: nothing,
    remove: reject,
    statistics: () => undefined,
    receivedPackets: () => undefined,
    openEcho: () => undefined,
  },
  router: {
    ...unset,
    set: reject,
    prepare: reject,
    setPortal: reject,
    refuseAll: reject,
    clear: reject,
  },
  filter: { ...unset, set: reject, setPortal: reject, clear: reject },
  dns: {
    undoSchema: z.record(z.string(), z.unknown()),
    prepare: reject,
    prepareAgain: reject,
    isSettable: () => false,
    originalServers: async () => [],
    rivalServers: async () => [],
    set: reject,
    verify: async () => 'in-force',
    watch: noWatch,
    clear: nothing,
    leftOver: async () => [],
    undo: reject,
  },
  uplink: {
    hasIpv6: () => false,
    attachedNetworks: async () => [],
    nearbyNetworks: reject,
    routeTo: nothing,
    watch: noWatch,
  },
  connections: { end: nothing },
  engines: {
    // It is not the engine that is missing.
    isAvailable: async () => true,
    command: refuse,
    ownCommand: refuse,
    secretFile: refuse,
    connect: refuse,
    linkMtu: nothing,
    datagramPort: nothing,
    roundTripMs: nothing,
    endLeftOver: nothing,
  },
  proxies: { isSupported: () => false, create: reject, endLeftOver: nothing },
  portals: { isSupported: () => false, start: reject },
  groups: { isSupported: () => false, move: reject },
  filterOutlastsReboot: false,
  isSupported: () => false,
  neverSet: true,
};
