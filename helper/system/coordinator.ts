import { isDeepStrictEqual } from 'node:util';
import { createSerialQueue } from '#shared/serial-queue.ts';
import type { ActiveRouting } from '#shared/tunnel/state.ts';
import type { Log } from '../log.ts';
import { planOf, type Capture } from '../modes/routing-plan.ts';
import { settleAll } from '../settle-all.ts';
import {
  blockingRules,
  filterRulesOf,
  newNetwork,
  planFor,
  routingRulesOf,
  type AppliedNetwork,
} from './applied-network.ts';
import { expectNoConflict } from './address-conflict.ts';
import type { Journal } from './journal.ts';
import { salvageSteps, type JournalEntry } from './journal-entry.ts';
import type { TunnelConfiguration } from '../tunnel/tunnel-configuration.ts';
import { addressList, noNetworks, type DeviceConfiguration, type Ports } from './ports.ts';
import { createGuard, type GuardedName } from './guard.ts';
import { createPortalAccess } from './portal-access.ts';
import { createProxyLifecycle } from './proxy-lifecycle.ts';
import { createRoutingSwitch } from './routing-switch.ts';
import {
  RoutingLost,
  SystemChangeFailed,
  type Connection,
  type Recovery,
  type SystemAdapter,
} from './system-adapter.ts';
import { askedServers, createTunnelDns } from './tunnel-dns.ts';
import { createUndoRecord } from './undo-record.ts';

/** Brings a system's ports together: decides what is changed when, and writes down how to undo it before that. */
export function createCoordinator(options: {
  ports: Ports;
  journal: Journal<JournalEntry>;
  log: Log;
}): SystemAdapter {
  const { ports, journal, log } = options;
  const { device, router, filter, uplink, connections, engines } = ports;
  let applied: AppliedNetwork | undefined;
  let lastConnection: Connection | undefined;
  /** What was to be captured by a switch of the routing that failed, and could not be taken back. */
  let unsettled: Capture[] = [];
  let onProtection: (inForce: boolean) => void = () => undefined;
  let onDeviceRecreated: () => void = () => undefined;

  const record = createUndoRecord({ journal, ports, log });
  const dns = createTunnelDns({ port: ports.dns, record, log });
  const proxies = createProxyLifecycle(ports.proxies);
  const routingSwitch = createRoutingSwitch({ ports, dns, proxies, record, log });

  /** Read while the engine is busy, and needed when it has a tunnel. */
  function attachedNetworks(): Promise<string[]> {
    const found = uplink.attachedNetworks();
    found.catch(() => undefined);
    return found;
  }

  /** Follows what others have changed: the nearby networks, and a resolv.conf written by a DHCP client. */
  async function follow(current: AppliedNetwork): Promise<void> {
    current.attachedNetworks = attachedNetworks();
    await dns.follow(current);
    if (await replan(current, current.connection)) {
      const { configuration } = current;
      if (configuration) await device.configure(deviceConfigurationOf(current, configuration));
      await filter.set(filterRulesOf(current));
    }
    const networks = await uplink.nearbyNetworks();
    if (isDeepStrictEqual(networks, current.networks)) return;
    await filter.set(filterRulesOf({ ...current, networks }));
    await router.set(routingRulesOf({ ...current, networks }));
    current.networks = networks;
  }

  /**
   * Captures what a connection wants by now, with the networks that the machine is attached to by now, and remembers it.
   * True if that is other than before: then a filter is in force that holds the promise of before too, and the device
   * has routes as before.
   */
  async function replan(current: AppliedNetwork, connection: Connection): Promise<boolean> {
    const { plan, split } = await planFor(connection, () => current.attachedNetworks);
    const isOther = !isDeepStrictEqual(connection.pushedRoutes, current.connection.pushedRoutes);
    if (isOther) {
      lastConnection = { ...current.connection, pushedRoutes: connection.pushedRoutes };
      current.connection = lastConnection;
      await record.write(current);
    }
    if (isDeepStrictEqual(split, current.split)) return false;
    const next = { ...current, plan, split };
    await filter.set(filterRulesOf(next, [current.plan.capture]));
    await router.set(routingRulesOf(next));
    Object.assign(current, { plan, split });
    return true;
  }

  /**
   * Refuses what a connection captures, while there is no tunnel for it. Resolves to whether that is so; where the
   * packet filter cannot be had, the routing alone refuses everything. `afresh`: rules may be there that nobody knows.
   */
  async function block(connection: Connection | undefined, { afresh = false } = {}): Promise<boolean> {
    const capture = await captureOf(connection);
    const networks = await uplink.nearbyNetworks().catch((error: unknown) => {
      log.error('the nearby networks cannot be found', error);
      return noNetworks;
    });
    const rules = blockingRules(connection, { capture, networks, also: unsettled });
    const attempt = async (change: () => Promise<void>) => {
      try {
        await change();
      } catch (error) {
        log.error('traffic could not be blocked', error);
      }
    };
    await attempt(() => filter.set(rules.filter));
    if (afresh) await attempt(() => router.clear());
    await attempt(() => router.set(rules.routing));
    guard.start();
    await guard.ensure('routing');
    if (await guard.ensure('packet-filter')) return true;
    await attempt(() => router.refuseAll());
    return await guard.ensure('routing');
  }

  async function captureOf(connection: Connection | undefined): Promise<Capture> {
    if (!connection) return { kind: 'everything', exceptLocalNetworks: false };
    return (await planFor(connection, () => uplink.attachedNetworks())).plan.capture;
  }

  /** Nobody knows what was to be blocked, so everything is, until the user opens it. */
  async function recoverUnreadable(text: string): Promise<Recovery> {
    log.warn('the journal cannot be read; traffic stays blocked until it is opened');
    await record.writeBlocking(undefined);
    const blocked = await block(undefined, { afresh: true });
    await record.undo(undefined, salvageSteps(text), { keepBlocking: true });
    await proxies.end();
    return { kind: 'unreadable', blocked };
  }

  /** What cannot be put back must not open traffic. */
  async function onProtectionLost(missing: readonly GuardedName[]): Promise<void> {
    const [isFilterLost, isRoutingLost] = [missing.includes('packet-filter'), missing.includes('routing')];
    try {
      if (isFilterLost) await router.refuseAll();
      else if (isRoutingLost) {
        const connection = applied?.connection ?? lastConnection;
        const capture = await captureOf(connection);
        const networks = applied?.networks ?? noNetworks;
        await filter.set(blockingRules(connection, { capture, networks, also: unsettled }).filter);
      }
    } catch (error) {
      log.error('traffic could not be refused', error);
    }
    onProtection(!isFilterLost && !isRoutingLost);
  }

  /** The engine has the device that was removed, and knows nothing of another. */
  async function restoreDevice(): Promise<void> {
    const isThere = device.exists();
    await device.restore();
    if (!isThere) onDeviceRecreated();
  }

  /** One after the other: a change that others cause must not come after the release. */
  const enqueue = createSerialQueue();
  const guard = createGuard({
    ports: { 'packet-filter': filter, routing: router, device: { ...device, restore: restoreDevice } },
    enqueue: (task) => enqueue(task),
    onLost: onProtectionLost,
    log,
  });

  const portal = createPortalAccess({ host: ports.portals, filter, enqueue: (task) => enqueue(task), log });

  return {
    device: device.name,

    async unavailable() {
      if (!(await engines.isAvailable())) return 'engine-absent';
      return ports.isSupported() ? undefined : 'tunnel-unsupported';
    },

    async recover() {
      await engines.endLeftOver();
      const content = await journal.read();
      if (content.kind === 'unreadable') return await recoverUnreadable(content.text);
      const earlier = content.kind === 'entry' ? content.entry.connection : null;
      // One that a switch from or to other routing left over has no rules that keep it inside the tunnel.
      if (!earlier?.killSwitch || !planOf(earlier.routing).proxy) await proxies.end();
      if (content.kind === 'empty') return { kind: 'nothing' };
      if (!earlier) return await recoverUnreadable('');
      lastConnection = earlier;
      const keepBlocking = earlier.killSwitch;
      // After a reboot the filter is gone too, so it comes first. Rules of that helper that are no longer wanted go.
      const blocked = keepBlocking && (await block(earlier, { afresh: true }));
      if (!keepBlocking) await connections.end();
      await record.undo(earlier, content.entry.steps, { keepBlocking });
      log.info('undid what an earlier helper left', { keepBlocking });
      return keepBlocking ? { kind: 'connection', connection: earlier, blocked } : { kind: 'nothing' };
    },

    hold: (connection) =>
      enqueue(async () => {
        await record.undoLeftOver();
        const wasProxied = lastConnection && planOf(lastConnection.routing).proxy !== undefined;
        lastConnection = connection;
        if (device.exists()) {
          throw new SystemChangeFailed(`there is a device ${device.name} already, and it is not ours`);
        }
        const current = await newNetwork(connection, attachedNetworks());
        let flushed: Promise<void>;
        try {
          await changing(() => routingSwitch.prepare(current));
          // The network's changes go with a power failure; DNS, which may not, is changed later.
          ({ flushed } = await record.writeVolatile(current));
        } catch (error) {
          // Nothing has been changed, and a proxy that was left is so still.
          proxies.leave(current.proxy);
          if (error instanceof SystemChangeFailed) throw error;
          throw new SystemChangeFailed('the journal cannot be written', { cause: error });
        }
        applied = current;
        unsettled = [];
        await changing(() =>
          // Both the filter and the routing rules block traffic, so either may be there first.
          settleAll([
            filter.set(filterRulesOf(current)),
            router.set(routingRulesOf(current)),
            device.create(),
            flushed,
          ]),
        );
        guard.start();
        if (wasProxied && !current.proxy) await proxies.end();
      }),

    configure: (given) =>
      enqueue(async () => {
        const current = applied;
        if (!current) throw new Error('configure before hold');
        const { ipv4 } = given.addresses;
        const addresses = uplink.hasIpv6() ? given.addresses : ipv4 === undefined ? {} : { ipv4 };
        const fresh = addressList(addresses);
        const networks = await current.attachedNetworks;
        expectNoConflict(fresh, { networks, gateway: current.connection.address });
        const old = current.assigned.filter((address) => !fresh.includes(address));
        const servers = await dns.usableServers(current, given.dns.servers, addresses);
        if (servers.length === 0) log.warn('there is no resolver that can be asked through the tunnel');
        current.assigned = [...old, ...fresh];
        await portal.close();
        const configuration = { ...given, addresses, dns: { ...given.dns, servers } };
        await changing(async () => {
          // Before there is a way into the tunnel: it is never wider than what the gateway wants in it.
          const connection = { ...current.connection, pushedRoutes: given.pushedRoutes };
          const isReplanned = await replan(current, connection);
          current.configuration = configuration;
          await proxies.configure(current);
          const ownPromise = () => filter.set(filterRulesOf(current));
          await settleAll([
            ...(isReplanned ? [] : [ownPromise()]),
            device.configure(deviceConfigurationOf(current, configuration)),
            dns.apply(current),
          ]);
          if (isReplanned) await ownPromise();
          // Some rules name the addresses.
          await router.set(routingRulesOf(current, fresh));
          await device.removeAddresses(old);
        });
        current.assigned = fresh;
        return { addresses, dns: { ...given.dns, servers: askedServers(current) } };
      }),

    route: (change) =>
      enqueue(async () => {
        if (!applied) return false;
        try {
          applied = await routingSwitch.change(applied, change);
        } catch (error) {
          if (error instanceof RoutingLost) unsettled = [planOf(change.routing, applied.split).capture];
          throw error;
        }
        lastConnection = applied.connection;
        return true;
      }),

    activeRouting(): ActiveRouting {
      const routing = applied?.connection.routing ?? { mode: 'global', localNetwork: false };
      const capture = applied?.plan.capture;
      if (capture?.kind === 'prefixes') return { mode: 'split', networks: capture.include.length };
      if (routing.mode === 'global') return routing;
      const listening = applied?.proxy?.listening;
      if (!listening) return { mode: 'pac' };
      return { mode: 'pac', proxy: { address: listening.address, pacUrl: listening.pacUrl } };
    },

    release: ({ keepBlocking }) =>
      enqueue(async () => {
        const connection = lastConnection;
        const steps = record.steps(applied);
        const [addresses, wasApplied] = [applied?.assigned ?? [], applied !== undefined];
        proxies.leave(applied?.proxy);
        if (keepBlocking && applied && applied.plan.capture.kind !== 'proxy') {
          // The tunnel that some packets could pass is about to go; without this they are blocked just as well.
          const blocking = filterRulesOf({ ...applied, configuration: undefined });
          await filter.set(blocking).catch((error: unknown) => log.error('the filter stays as it is', error));
        }
        applied = undefined;
        if (keepBlocking) {
          // What was never applied is not in the journal yet. Traffic is blocked even if nobody after us will know of it.
          if (!wasApplied) {
            await record.writeBlocking(connection).catch((error: unknown) => {
              log.error('the journal cannot be written', error);
            });
          }
          const blocked = await block(connection);
          await record.undo(connection, steps, { keepBlocking });
          return { blocked };
        }
        await portal.close();
        guard.stop();
        unsettled = [];
        if (connection && planOf(connection.routing).proxy) await proxies.end();
        const connectionsEnded = connections.end(addresses);
        if (steps.length > 0) await record.undo(connection, steps, { keepBlocking, connectionsEnded });
        await connectionsEnded;
        return { blocked: false };
      }),

    verify: () =>
      enqueue(async () => {
        const missing = await guard.check();
        if (missing.length > 0) await onProtectionLost(missing);
        return missing.length === 0;
      }),

    watchProtection(onChange) {
      onProtection = onChange;
    },

    watchDevice(onRecreated) {
      onDeviceRecreated = onRecreated;
    },

    statistics: () => (applied ? device.statistics() : undefined),

    receivedPackets: () => (applied ? device.receivedPackets() : undefined),

    unprivileged: (program, args) => engines.command(program, args),

    connectToGateway: (gateway) => engines.connect(gateway),

    openPortal: ({ client, forMs, isWanted }) =>
      enqueue(async () => {
        if (!isWanted()) return undefined;
        // What the machine asks may have changed since it was looked at last.
        if (!applied?.dns) await ports.dns.prepare();
        const resolvers = await ports.dns.originalServers();
        return await portal.open({ client, forMs, resolvers });
      }),

    closePortal: () => enqueue(() => portal.close()),

    watchUplink(onChange) {
      const current = applied;
      if (!current) throw new Error('watchUplink before hold');
      const route = () => uplink.routeTo(current.connection.address);
      let last = route();
      const stopDnsWatch = dns.watch(() => {
        void enqueue(async () => applied && dns.follow(applied)).catch((error: unknown) =>
          log.error('a change of the DNS settings could not be followed', error),
        );
      });
      const stopNetworkWatch = uplink.watch(() => {
        const before = last;
        last = route();
        void Promise.all([before, last, enqueue(async () => applied && follow(applied))])
          .then(([old, now]) => {
            if (old !== now) onChange(now !== undefined);
          })
          .catch((error: unknown) => log.error('a change of the network could not be followed', error));
      });
      return () => {
        stopDnsWatch();
        stopNetworkWatch();
      };
    },
  };
}

const deviceConfigurationOf = (
  { split }: AppliedNetwork,
  { mtu, addresses }: TunnelConfiguration,
): DeviceConfiguration => ({
  mtu,
  addresses: addressList(addresses),
  prefixes: split?.include ?? [],
});

async function changing(change: () => Promise<void>): Promise<void> {
  try {
    await change();
  } catch (error) {
    throw new SystemChangeFailed('the system refused a change', { cause: error });
  }
}
