import { setTimeout as delay } from 'node:timers/promises';
import { createSerialQueue } from '#shared/serial-queue.ts';
import type { Log } from '../log.ts';
import { planOf } from '../modes/plan-of.ts';
import type { Capture } from '../modes/routing-plan.ts';
import { settleAll } from '../settle-all.ts';
import { deviceConfigurationOf, filterRulesOf, routingRulesOf } from './network-rules.ts';
import { newNetwork, type AppliedNetwork } from './applied-network.ts';
import { activeRoutingOf } from './active-routing.ts';
import { expectNoConflict } from './address-conflict.ts';
import type { Journal } from './journal/journal-file.ts';
import type { JournalEntry } from './journal/journal-entry.ts';
import { createNetworkFollower } from './network-follower.ts';
import { addressesOf } from '../network/gateway-endpoint.ts';
import { addressList } from '../network/tunnel-configuration.ts';
import type { Ports } from './ports/ports.ts';
import { createGuard, type GuardedName } from './guard.ts';
import { createPortalAccess } from './portal-access.ts';
import { createProxyLifecycle } from './proxy-lifecycle.ts';
import { recoverSystem } from './recovery.ts';
import { createRoutingSwitch } from './routing-switch.ts';
import { RoutingLost, SystemChangeFailed } from './ports/system-change-failed.ts';
import type { Connection, SystemAdapter } from './system-adapter.ts';
import { askedServers } from './asked-resolvers.ts';
import { createTunnelDns } from './tunnel-dns.ts';
import { createTrafficBlock } from './traffic-block.ts';
import { createUndoRecord } from './journal/undo-journal.ts';

/**
 * Waits before each look for where the engine sends datagrams, in milliseconds; the last one repeats. The first are less
 * than the second after which a lost first datagram is repeated (RFC 6347 §4.2.4.1); many gateways take none at all.
 */
const datagramLooksMs = [25, 50, 100, 200, 400, 800, 2_000, 5_000, 30_000] as const;

/** Connects a system's ports: decides what to change and when, and records how to undo it beforehand. */
export function createCoordinator(options: {
  ports: Ports;
  journal: Journal<JournalEntry>;
  log: Log;
}): SystemAdapter {
  const { ports, journal, log } = options;
  const { device, router, filter, uplink, connections, engines } = ports;
  let applied: AppliedNetwork | undefined;
  /** The last applied connection, whose traffic may still be blocked. */
  let lastConnection: Connection | undefined;
  const latestConnection = () => applied?.connection ?? lastConnection;
  let onProtection: (inForce: boolean) => void = () => undefined;
  let onDeviceRecreated: () => void = () => undefined;
  let onDnsContested: () => void = () => undefined;

  const record = createUndoRecord({ journal, ports, log });
  const dns = createTunnelDns({ port: ports.dns, record, onContested: () => onDnsContested(), log });
  const proxies = createProxyLifecycle(ports.proxies);
  const routingSwitch = createRoutingSwitch({ ports, dns, proxies, record, log });

  /** The engine still has the device that was removed, and does not know a new one. */
  async function restoreDevice(): Promise<void> {
    const isThere = device.exists();
    await device.restore();
    if (!isThere) onDeviceRecreated();
  }

  async function followDatagrams(signal: AbortSignal): Promise<void> {
    const address = applied?.connection.address;
    // A proxy takes none.
    if (address === undefined || applied?.connection.proxy) return;
    let port: number | undefined;
    for (let look = 0; port === undefined; look += 1) {
      await delay(datagramLooksMs[look] ?? datagramLooksMs.at(-1), undefined, { signal, ref: false });
      // It has gone on to another one, which is followed by itself.
      if (applied?.connection.address !== address) return;
      port = await engines.datagramPort(address);
    }
    await enqueue(async () => {
      if (signal.aborted || applied?.connection.address !== address) return;
      const { datagramPort = applied.connection.gateway.port } = applied;
      if (port === datagramPort) return;
      applied.datagramPort = port;
      await router.set(routingRulesOf(applied));
    });
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

  const roundTripOf = (address: string) =>
    engines.roundTripMs(address).catch((error: unknown) => {
      log.error('how long the gateway takes to answer could not be found out', error);
      return undefined;
    });

  const compensate = (missing: readonly GuardedName[]) =>
    trafficBlock.compensate(missing, latestConnection(), applied?.networks);

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
    record,
    enqueue: (task) => enqueue(async () => applied && task(applied)),
    log,
  });
  const portal = createPortalAccess({
    host: ports.portals,
    filter,
    router,
    enqueue: (task) => enqueue(task),
    log,
  });

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
          lastConnection = connection;
        },
        log,
      }),

    apply: (connection) =>
      enqueue(async () => {
        await record.undoLeftOver();
        lastConnection = connection;
        if (device.exists()) {
          throw new SystemChangeFailed(`there is a device ${device.name} already, and it is not ours`);
        }
        const current = await newNetwork(connection, follower.attachedNetworks());
        await changing(async () => {
          current.networks = await uplink.nearbyNetworks();
        });
        try {
          await record.note(current);
        } catch (error) {
          // Nothing has been changed.
          throw new SystemChangeFailed('the journal cannot be written', { cause: error });
        }
        applied = current;
        trafficBlock.also = [];
        await changing(async () => {
          const prepared = async () => {
            await routingSwitch.prepare(current);
            // A power failure undoes changes of the network by itself; DNS, where it may not, is changed later.
            return await record.writeVolatile(current);
          };
          // What comes to a proxy that was left stays inside until it has ended.
          const leftToEnd = !current.plan.proxy && proxies.isLeft();
          const also: Capture[] = leftToEnd ? [{ kind: 'proxy' }] : [];
          // Both the filter and the routing rules block traffic, so they can be set in any order. They come before all
          // that takes time, because nothing may leave from now on.
          const blocked = [
            filter.set(filterRulesOf(current, also), { atOnce: true }),
            router.set(routingRulesOf(current)),
          ];
          const preparing = prepared();
          await settleAll([...blocked, device.create(), preparing]);
          if (leftToEnd) await proxies.end();
          // What was found meanwhile belongs in it, such as the proxy's port.
          await settleAll([filter.set(filterRulesOf(current)), (await preparing).flushed]);
        });
        guard.start();
      }),

    configure: (given) =>
      enqueue(async () => {
        const current = applied;
        if (!current) throw new Error('configure before apply');
        const { ipv4 } = given.addresses;
        const addresses = uplink.hasIpv6() ? given.addresses : ipv4 === undefined ? {} : { ipv4 };
        const fresh = addressList(addresses);
        const networks = await current.attachedNetworks;
        expectNoConflict(fresh, { networks, gateways: addressesOf(current.connection) });
        const old = current.assigned.filter((address) => !fresh.includes(address));
        const { address } = current.connection;
        const [servers, roundTripMs] = await Promise.all([
          dns.usableServers(current, given.dns.servers, addresses),
          roundTripOf(address),
        ]);
        current.roundTripMs = roundTripMs;
        if (servers.length === 0) log.warn('there is no resolver that can be asked through the tunnel');
        current.assigned = [...old, ...fresh];
        await portal.close();
        const configuration = { ...given, addresses, dns: { ...given.dns, servers } };
        await changing(async () => {
          // Before there is a route into the tunnel, so that it never captures more than the gateway wants.
          const connection = { ...current.connection, pushedRoutes: given.pushedRoutes };
          const { awaitedAddresses = [] } = connection;
          const isReplanned = await follower.replan(current, connection);
          current.configuration = configuration;
          await proxies.configure(current);
          const ownPromise = () => filter.set(filterRulesOf(current));
          await settleAll([
            ...(isReplanned ? [] : [ownPromise()]),
            device.configure(deviceConfigurationOf(configuration)),
            dns.apply(current),
          ]);
          if (isReplanned) await ownPromise();
          // Some rules contain the addresses.
          await router.set(routingRulesOf(current, fresh));
          await device.removeAddresses(old);
          // What waited for other addresses than came would wait in vain.
          await connections.end(awaitedAddresses.filter((awaited) => !fresh.includes(awaited)));
          current.connection = { ...current.connection, awaitedAddresses: undefined };
        });
        current.assigned = fresh;
        return { addresses, dns: { ...given.dns, servers: askedServers(current) }, roundTripMs };
      }),

    moveTo: (address, otherAddresses = []) =>
      enqueue(async () => {
        if (!applied) throw new Error('moveTo before apply');
        await lookFor(applied, { address, otherAddresses });
      }),

    setOtherAddresses: (otherAddresses) =>
      enqueue(async () => {
        if (applied) await lookFor(applied, { address: applied.connection.address, otherAddresses });
      }),

    limitSegments: (maxSegment) =>
      enqueue(async () => {
        const current = applied;
        if (!current || current.maxSegment === maxSegment) return;
        current.maxSegment = maxSegment;
        await changing(() => filter.set(filterRulesOf(current)));
      }),

    route: (change) =>
      enqueue(async () => {
        if (!applied) return false;
        try {
          applied = await routingSwitch.change(applied, change);
        } catch (error) {
          if (error instanceof RoutingLost)
            trafficBlock.also = [planOf(change.routing, applied.split).capture];
          throw error;
        }
        return true;
      }),

    asksTunnelResolvers: () =>
      applied !== undefined && applied.plan.resolvers !== 'unchanged' && askedServers(applied).length > 0,

    activeRouting: () => activeRoutingOf(applied),

    release: ({ keepBlocking, isAwaited = false }) =>
      enqueue(async () => {
        const latest = latestConnection();
        const steps = record.take(applied);
        const [addresses, wasApplied] = [
          applied?.assigned ?? latest?.awaitedAddresses ?? [],
          applied !== undefined,
        ];
        proxies.leave(applied?.proxy);
        // Those through a proxy end with it.
        const mayWait = keepBlocking && isAwaited && applied?.plan.capture.kind !== 'proxy';
        const awaitedAddresses = mayWait && addresses.length > 0 ? addresses : undefined;
        const connection = latest && { ...latest, awaitedAddresses };
        // As long as their address is this machine's: what is still to be sent from it could leave outside later.
        if (!awaitedAddresses) await connections.end(addresses);
        if (keepBlocking && applied && connection && applied.plan.capture.kind !== 'proxy') {
          // The tunnel, which some packets can use, is about to end; with this filter, they are blocked as well.
          const blocking = filterRulesOf({ ...applied, connection, configuration: undefined });
          await filter.set(blocking).catch((error: unknown) => log.error('the filter stays as it is', error));
        }
        applied = undefined;
        lastConnection = connection;
        if (keepBlocking) {
          // If it was never applied, it is not in the journal yet. Traffic is blocked, even if a later helper will not
          // know about it.
          if (!wasApplied) {
            await record.writeBlocking(connection).catch((error: unknown) => {
              log.error('the journal cannot be written', error);
            });
          }
          const blocked = await trafficBlock.block(connection);
          // Nothing of this keeps one of an earlier connection inside.
          if (connection && !planOf(connection.routing).proxy && proxies.isLeft())
            await proxies.end().catch((error: unknown) => log.error('the proxy could not be ended', error));
          await record.undo(connection, steps, { keepBlocking });
          return { blocked };
        }
        await portal.close();
        guard.stop();
        trafficBlock.also = [];
        if (proxies.isLeft()) await proxies.end();
        if (steps.length > 0) await record.undo(connection, steps, { keepBlocking });
        return { blocked: false };
      }),

    verify,
    async lookAgain() {
      follower.look();
      // Otherwise, what blocks traffic is watched by nobody who could be told.
      if (applied) await verify();
    },

    watchProtection(onChange) {
      onProtection = onChange;
    },

    watchDevice(onRecreated) {
      onDeviceRecreated = onRecreated;
    },

    isDnsContested: () => dns.isContested(),
    watchDns(onChange) {
      onDnsContested = onChange;
    },

    statistics: () => (applied ? device.statistics() : undefined),

    receivedPackets: () => (applied ? device.receivedPackets() : undefined),

    openEcho: (own) => device.openEcho(own),

    followDatagrams(signal) {
      followDatagrams(signal).catch((error: unknown) => {
        // Without it, datagrams may be dropped on their way back; the engine then uses TLS.
        if (!signal.aborted) log.error('where the engine sends datagrams could not be found out', error);
      });
    },

    linkMtu: async () => applied && (await engines.linkMtu(applied.connection.address)),
    roundTripMs: async () => applied && (await roundTripOf(applied.connection.address)),

    unprivileged: (program, args) => engines.command(program, args),
    ownEngine: () => engines.ownCommand(),
    secretFile: (content) => engines.secretFile(content),

    connectToGateway: (gateway) => engines.connect(gateway),

    openPortal: ({ client, forMs, isWanted }) =>
      enqueue(async () => {
        if (!isWanted()) return undefined;
        // The machine's resolvers may have changed since they were last read.
        if (!applied?.dns) await ports.dns.prepare();
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
      if (!applied) throw new Error('watchUplink before apply');
      return follower.watch(addresses, onChange);
    },
  };
}

async function changing(change: () => Promise<void>): Promise<void> {
  try {
    await change();
  } catch (error) {
    throw new SystemChangeFailed('the system refused a change', { cause: error });
  }
}
