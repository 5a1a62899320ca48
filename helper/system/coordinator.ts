import { createSerialQueue } from '#shared/serial-queue.ts';
import type { Log } from '../log.ts';
import { activeRoutingOf } from './active-routing.ts';
import type { AppliedNetwork } from './applied-network.ts';
import { applyNetwork } from './apply-network.ts';
import { askedServers } from './asked-resolvers.ts';
import { configureNetwork } from './configure-network.ts';
import { followDatagramPort } from './follow-datagram-port.ts';
import { gatewayRoundTrip } from './gateway-round-trip.ts';
import { createGuard, type GuardedName } from './guard.ts';
import type { Journal } from './journal/journal-file.ts';
import type { JournalEntry } from './journal/journal-entry.ts';
import { createUndoRecord } from './journal/undo-record.ts';
import { createNetworkFollower } from './network-follower.ts';
import { filterRulesOf, routingRulesOf } from './network-rules.ts';
import { createOverruledRouting } from './overruled-routing.ts';
import { createPortalAccess } from './portal-access.ts';
import type { Ports } from './ports/ports.ts';
import { RoutingLost } from './ports/system-change-failed.ts';
import { createProxyLifecycle } from './proxy-lifecycle.ts';
import { recoverSystem } from './recovery.ts';
import { releaseNetwork } from './release-network.ts';
import { createRoutingSwitch, wantedBy } from './routing-switch.ts';
import type { Connection, SystemAdapter } from './system-adapter.ts';
import { changing, latestConnection, type Setup, type SystemParts } from './system-parts.ts';
import { createTrafficBlock } from './traffic-block.ts';
import { createTunnelDns } from './tunnel-dns.ts';

/** Connects a system's ports: decides what to change and when, and records how to undo it beforehand. */
export function createCoordinator(options: {
  ports: Ports;
  journal: Journal<JournalEntry>;
  log: Log;
}): SystemAdapter {
  const { ports, journal, log } = options;
  const { device, router, filter, uplink, engines } = ports;
  const setup: Setup = { applied: undefined, lastConnection: undefined };
  let onProtection: (inForce: boolean) => void = () => undefined;
  let onRoutingLost: () => void = () => undefined;
  let onDeviceRecreated: () => void = () => undefined;
  let onProblems: () => void = () => undefined;

  const record = createUndoRecord({ journal, ports, log });
  const dns = createTunnelDns({ port: ports.dns, record, onContested: () => onProblems(), log });
  const proxies = createProxyLifecycle(ports.proxies);
  const routingSwitch = createRoutingSwitch({
    ports,
    dns,
    proxies,
    record,
    log,
  });

  /** The engine still has the device that was removed, and does not know a new one. */
  async function restoreDevice(): Promise<void> {
    const isThere = device.exists();
    await device.restore();
    if (!isThere) onDeviceRecreated();
  }

  /** The engine reaches the gateway at these addresses, and at no others. */
  async function lookFor(
    current: AppliedNetwork,
    { address, otherAddresses }: Pick<Connection, 'address' | 'otherAddresses'>,
  ): Promise<void> {
    if (current.connection.address !== address) current.datagramPort = undefined;
    current.connection = { ...current.connection, address, otherAddresses };
    await changing(async () => {
      await record.note(current);
      // The networks that a gateway names may contain its own addresses.
      await follower.replan(current, current.connection);
      await filter.set(filterRulesOf(current));
      await router.set(routingRulesOf(current));
    });
  }

  function compensate(missing: readonly GuardedName[]): Promise<boolean> {
    if (setup.applied) trafficBlock.also = setup.applied.alsoRefused;
    return trafficBlock.compensate(missing, latestConnection(setup), setup.applied?.networks);
  }

  /** One after the other: a change that others cause must not run after the release. */
  const enqueue = createSerialQueue();
  /** Separate, so that changes of the network do not wait for moves of many processes. */
  const enqueueMove = createSerialQueue();
  const guard = createGuard({
    ports: { 'packet-filter': filter, routing: router, device: { ...device, restore: restoreDevice } },
    enqueue: (task) => enqueue(task),
    onLost: async (missing) => onProtection(await compensate(missing)),
    log,
  });

  const trafficBlock = createTrafficBlock({ ports, guard, log });
  const follower = createNetworkFollower({
    ports,
    dns,
    routingSwitch,
    enqueue: (task) => enqueue(async () => setup.applied && task(setup.applied)),
    onLost: () => onRoutingLost(),
    log,
  });
  const overruled = createOverruledRouting({
    router,
    enqueue: (task) => enqueue(task),
    onChange: () => onProblems(),
    log,
  });
  const portal = createPortalAccess({
    host: ports.portals,
    filter,
    router,
    enqueue: (task) => enqueue(task),
    log,
  });

  const parts: SystemParts = {
    ports,
    setup,
    record,
    dns,
    proxies,
    routingSwitch,
    guard,
    trafficBlock,
    follower,
    overruled,
    portal,
    log,
  };

  const verify = () =>
    enqueue(async () => {
      const missing = await guard.check();
      if (missing.length > 0) onProtection(await compensate(missing));
      return missing.length === 0;
    });

  return {
    device: device.handle,

    isSupported: () => ports.isSupported(),

    recover: () =>
      recoverSystem({
        ports,
        journal,
        record,
        proxies,
        trafficBlock,
        onFound: (connection) => {
          setup.lastConnection = connection;
        },
        log,
      }),

    apply: (connection) => enqueue(() => applyNetwork(parts, connection)),
    configure: (given) => enqueue(() => configureNetwork(parts, given)),
    release: (how) => enqueue(() => releaseNetwork(parts, how)),

    moveTo: (address, otherAddresses = []) =>
      enqueue(async () => {
        if (!setup.applied) throw new Error('moveTo before apply');
        await lookFor(setup.applied, { address, otherAddresses });
      }),

    setOtherAddresses: (otherAddresses) =>
      enqueue(async () => {
        const { applied } = setup;
        if (!applied) return;
        try {
          await lookFor(applied, { address: applied.connection.address, otherAddresses });
        } catch (error) {
          // It is tried again like a change of the network.
          follower.look();
          throw error;
        }
      }),

    limitSegments: (maxSegment) =>
      enqueue(async () => {
        const current = setup.applied;
        if (!current || current.maxSegment === maxSegment) return;
        current.maxSegment = maxSegment;
        await changing(() => filter.set(filterRulesOf(current)));
      }),

    route: (change) =>
      enqueue(async () => {
        const { applied } = setup;
        if (!applied) return false;
        try {
          setup.applied = await routingSwitch.change(applied, wantedBy(applied, change));
        } catch (error) {
          if (error instanceof RoutingLost) onRoutingLost();
          throw error;
        }
        return true;
      }),

    asksTunnelResolvers: () =>
      setup.applied !== undefined &&
      setup.applied.plan.resolvers !== 'unchanged' &&
      askedServers(setup.applied).length > 0,

    activeRouting: () => activeRoutingOf(setup.applied),

    verify,
    async lookAgain() {
      follower.look();
      // Otherwise, what blocks traffic is watched by nobody who could be told.
      if (setup.applied) await verify();
    },

    watchProtection(onChange) {
      onProtection = onChange;
    },

    watchRouting(onLost) {
      onRoutingLost = onLost;
    },

    watchDevice(onRecreated) {
      onDeviceRecreated = onRecreated;
    },

    problems: () => [
      ...(overruled.isOverruled() ? (['routes-overruled'] as const) : []),
      ...(dns.isContested() ? (['dns-contested'] as const) : []),
    ],
    watchProblems(onChange) {
      onProblems = onChange;
    },

    statistics: () => (setup.applied ? device.statistics() : undefined),

    receivedPackets: () => (setup.applied ? device.receivedPackets() : undefined),

    openEcho: (own) => device.openEcho(own),

    followDatagrams(signal) {
      followDatagramPort(parts, enqueue, signal).catch((error: unknown) => {
        // Without it, datagrams may be dropped on their way back; the engine then uses TLS.
        if (!signal.aborted) log.error('where the engine sends datagrams could not be found out', error);
      });
    },

    linkMtu: async () => setup.applied && (await engines.linkMtu(setup.applied.connection.address)),
    roundTripMs: async () =>
      setup.applied && (await gatewayRoundTrip(parts, setup.applied.connection.address)),

    unprivileged: (program, args) => engines.command(program, args),
    ownEngine: () => engines.ownCommand(),
    secretFile: (content) => engines.secretFile(content),

    connectToGateway: (gateway) => engines.connect(gateway),

    openPortal: ({ client, forMs, isWanted }) =>
      enqueue(async () => {
        if (!isWanted()) return undefined;
        // The machine's resolvers may have changed since they were last read.
        if (!setup.applied?.dns) await ports.dns.prepare();
        const resolvers = await ports.dns.originalServers();
        return await portal.open({ client, forMs, resolvers });
      }),

    closePortal: () => enqueue(() => portal.close()),

    supported: () => ({
      groups: ports.groups.isSupported(),
      proxies: ports.proxies.isSupported(),
      portals: ports.portals.isSupported(),
    }),

    moveProcess: (process) => enqueueMove(() => ports.groups.move(process)),

    watchWay(address, onChange) {
      const before = uplink.routeTo(address);
      return uplink.watch(() => {
        Promise.all([before, uplink.routeTo(address)])
          .then(([old, now]) => old === now || onChange())
          .catch((error: unknown) => log.error('the way to the gateway cannot be looked up', error));
      });
    },

    watchUplink(addresses, onChange) {
      if (!setup.applied) throw new Error('watchUplink before apply');
      return follower.watch(addresses, onChange);
    },
  };
}
