import { createSerialQueue } from '#shared/serial-queue.ts';
import type { ActiveRouting } from '#shared/tunnel/state.ts';
import type { Log } from '../log.ts';
import { planOf } from '../modes/routing-plan.ts';
import { settleAll } from '../settle-all.ts';
import {
  exceptsLocalNetworks,
  filterRulesOf,
  newNetwork,
  routingRulesOf,
  type AppliedNetwork,
} from './applied-network.ts';
import type { Journal } from './journal.ts';
import { salvageSteps, type JournalEntry } from './journal-entry.ts';
import { addressList, type Ports } from './ports.ts';
import { createProxyLifecycle } from './proxy-lifecycle.ts';
import { createRoutingSwitch } from './routing-switch.ts';
import { SystemChangeFailed, type Connection, type SystemAdapter } from './system-adapter.ts';
import { createTunnelDns } from './tunnel-dns.ts';
import { undoSteps } from './undo.ts';
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
  let onRoutingMoved: () => void = () => undefined;

  const record = createUndoRecord({ journal, ports, log });
  const dns = createTunnelDns({ port: ports.dns, record, log });
  const proxies = createProxyLifecycle({ host: ports.proxies, onMoved: followProxy });
  const routingSwitch = createRoutingSwitch({ ports, dns, proxies, record, log });

  /** Follows what others have changed: the local networks, and a resolv.conf written by a DHCP client. */
  async function follow(current: AppliedNetwork): Promise<void> {
    await dns.follow(current);
    if (!exceptsLocalNetworks(current.plan)) return;
    const found = await uplink.localNetworks();
    if (found.join() === current.localNetworks.join()) return;
    await filter.set(filterRulesOf({ ...current, localNetworks: found }));
    current.localNetworks = found;
  }

  /** Its new port is for those who connected, as the old one was; and whoever uses it is to know. */
  function followProxy(): void {
    void enqueue(async () => {
      if (!applied?.proxy) return;
      await filter.set(filterRulesOf(applied));
      onRoutingMoved();
    }).catch((error: unknown) => log.error('the proxy could not be followed to another port', error));
  }

  /** One after the other: a change that others cause must not come after the release. */
  const enqueue = createSerialQueue();

  return {
    device: device.name,

    async unavailable() {
      if (!(await engines.isAvailable())) return 'engine-absent';
      return ports.isSupported() ? undefined : 'tunnel-unsupported';
    },

    async recover() {
      await engines.endLeftOver();
      const content = await journal.read();
      const earlier = content.kind === 'entry' ? content.entry.connection : undefined;
      // One that a switch from or to other routing left over has no rules that keep it inside the tunnel.
      if (!earlier?.killSwitch || !planOf(earlier.routing).proxy) await proxies.end();
      if (content.kind === 'empty') return undefined;
      if (content.kind === 'unreadable') {
        log.warn('the journal cannot be read; undoing what can be told without it');
        await undoSteps(ports, log, salvageSteps(content.text));
        return undefined;
      }
      const { connection, steps } = content.entry;
      lastConnection = connection;
      const keepBlocking = connection.killSwitch;
      // After a reboot the table is gone too, so it comes first.
      if (keepBlocking) {
        const blocked = newNetwork(connection);
        await filter.set(filterRulesOf(blocked));
        // Rules of that helper that are no longer wanted go too.
        await router.clear();
        await router.set(routingRulesOf(blocked));
      } else await connections.end();
      await record.undo(connection, steps, { keepBlocking });
      log.info('undid what an earlier helper left', { keepBlocking });
      return keepBlocking ? connection : undefined;
    },

    hold: (connection) =>
      enqueue(async () => {
        await record.undoLeftOver();
        if (device.exists()) {
          throw new SystemChangeFailed(`there is a device ${device.name} already, and it is not ours`);
        }
        const current = newNetwork(connection);
        await changing(() => routingSwitch.prepare(current));
        try {
          await record.write(current);
        } catch (error) {
          // Nothing has been changed, and a proxy that was left is so still.
          proxies.leave(current.proxy);
          throw error;
        }
        const wasProxied = lastConnection && planOf(lastConnection.routing).proxy !== undefined;
        lastConnection = connection;
        applied = current;
        await changing(() =>
          // Both the filter and the routing rules block traffic, so either may be there first.
          settleAll([
            filter.set(filterRulesOf(current)),
            router.set(routingRulesOf(current)),
            device.create(),
          ]),
        );
        if (wasProxied && !current.proxy) await proxies.end();
      }),

    configure: (given) =>
      enqueue(async () => {
        const current = applied;
        if (!current) throw new Error('configure before hold');
        const { ipv4 } = given.addresses;
        const addresses = uplink.hasIpv6() ? given.addresses : ipv4 === undefined ? {} : { ipv4 };
        const fresh = addressList(addresses);
        const old = current.assigned.filter((address) => !fresh.includes(address));
        const servers = await dns.usableServers(current, given.dns.servers, addresses);
        if (servers.length === 0) log.warn('there is no resolver that can be asked through the tunnel');
        const usable = { addresses, dns: { ...given.dns, servers } };
        current.configuration = { ...given, ...usable };
        current.assigned = [...old, ...fresh];
        await changing(async () => {
          await proxies.configure(current);
          await settleAll([
            filter.set(filterRulesOf(current)),
            device.configure({ mtu: given.mtu, addresses: fresh }),
            dns.apply(current),
          ]);
          // Some rules name the addresses.
          await router.set(routingRulesOf(current, fresh));
          await device.removeAddresses(old);
        });
        current.assigned = fresh;
        return usable;
      }),

    route: (change) =>
      enqueue(async () => {
        if (!applied) return false;
        applied = await routingSwitch.change(applied, change);
        lastConnection = applied.connection;
        return true;
      }),

    activeRouting(): ActiveRouting {
      const routing = applied?.connection.routing ?? { mode: 'global', localNetwork: false };
      if (routing.mode === 'global') return routing;
      const listening = applied?.proxy?.listening;
      if (!listening) return { mode: 'pac' };
      return { mode: 'pac', proxy: { address: listening.address, pacUrl: listening.pacUrl } };
    },

    watchRouting(onChange) {
      onRoutingMoved = onChange;
    },

    release: ({ keepBlocking }) =>
      enqueue(async () => {
        const steps = record.steps(applied);
        const addresses = applied?.assigned ?? [];
        proxies.leave(applied?.proxy);
        applied = undefined;
        if (!keepBlocking) {
          if (lastConnection && planOf(lastConnection.routing).proxy) await proxies.end();
          await connections.end(addresses);
        }
        if (lastConnection && steps.length > 0) await record.undo(lastConnection, steps, { keepBlocking });
      }),

    statistics: () => (applied ? device.statistics() : undefined),

    receivedPackets: () => (applied ? device.receivedPackets() : undefined),

    unprivileged: (program, args) => engines.command(program, args),

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

async function changing(change: () => Promise<void>): Promise<void> {
  try {
    await change();
  } catch (error) {
    throw new SystemChangeFailed('the system refused a change', { cause: error });
  }
}
