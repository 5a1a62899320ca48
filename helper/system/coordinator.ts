import { accessSync } from 'node:fs';
import { createSerialQueue } from '#shared/serial-queue.ts';
import type { ActiveRouting, InvalidCause } from '#shared/tunnel/state.ts';
import type { Journal } from './journal.ts';
import type { Log } from '../log.ts';
import { SystemChangeFailed, type Connection, type SystemAdapter } from './system-adapter.ts';
import { findUser } from '../linux/accounts.ts';
import { settleAll } from '../settle-all.ts';
import { findProgram, type RunCommand } from '../linux/command.ts';
import { createLinuxDns } from '../linux/dns-manager.ts';
import { keepsLocalNetwork, routingOf, type Accounts, type Held } from './applied-network.ts';
import { tunnelDevice } from '../linux/identifiers.ts';
import { readInterfaceCounters } from '../linux/interface-counters.ts';
import { ipBatch, ipRemovalBatch } from '../linux/ip-batch.ts';
import { routingBatch } from '../linux/policy-routing.ts';
import { createProxyLifecycle } from './proxy-lifecycle.ts';
import { createRoutingSwitch } from './routing-switch.ts';
import { applyFilter, changeRules, families, hasIpv6 } from '../linux/traffic-rules.ts';
import { endTunnelConnections } from '../linux/tunnel-connections.ts';
import { addressList, configureBatch, deviceBatch, removeAddressesBatch } from '../linux/tunnel-device.ts';
import { createTunnelDns } from './tunnel-dns.ts';
import { salvageSteps, undoSteps } from '../linux/undo.ts';
import { createUndoRecord } from './undo-record.ts';
import type { JournalEntry } from './journal-entry.ts';
import { unprivilegedCommand } from '../linux/unprivileged-command.ts';
import { localPrefixes, routeOfEngine, watchNetwork } from '../linux/uplink.ts';
import { killProcessesOf } from '../linux/user-processes.ts';

export interface LinuxAdapterOptions {
  engineUser: string;
  /** The unprivileged user that the proxy of mode pac runs as. */
  proxyUser: string;
  /** Its program. */
  proxyScript: string;
  journal: Journal<JournalEntry>;
  run: RunCommand;
  log: Log;
}

/** Linux: policy routing and nftables around a TUN device, names by whoever manages them. */
export function createLinuxAdapter(options: LinuxAdapterOptions): SystemAdapter {
  const { journal, run, log } = options;
  const known: Accounts = { engine: undefined, proxy: undefined };
  let held: Held | undefined;
  let lastConnection: Connection | undefined;
  let onRoutingMoved: () => void = () => undefined;

  const record = createUndoRecord({ journal, run, log });
  const names = createTunnelDns({ port: createLinuxDns(run), record, log });
  const proxies = createProxyLifecycle({
    user: options.proxyUser,
    uid: () => known.proxy?.uid,
    script: options.proxyScript,
    onMoved: followProxy,
    log,
  });
  const routingSwitch = createRoutingSwitch({ run, names, proxies, record, log });

  const findAccounts = async (): Promise<Accounts> => {
    known.engine ??= await findUser(options.engineUser);
    known.proxy ??= await findUser(options.proxyUser);
    return known;
  };

  /** Follows what others have changed: the local networks, and a resolv.conf written by a DHCP client. */
  async function follow(current: Held): Promise<void> {
    await names.follow(current);
    if (!keepsLocalNetwork(current.connection.routing)) return;
    const found = await localPrefixes(run);
    if (found.join() === current.localPrefixes.join()) return;
    await applyFilter(run, { ...current, localPrefixes: found });
    current.localPrefixes = found;
  }

  /** Its new port is for those who connected, as the old one was; and whoever uses it is to know. */
  function followProxy(): void {
    void enqueue(async () => {
      if (!held?.proxy) return;
      await applyFilter(run, held);
      onRoutingMoved();
    }).catch((error: unknown) => log.error('the proxy could not be followed to another port', error));
  }

  /** One after the other: a change that others cause must not come after the release. */
  const enqueue = createSerialQueue();

  return {
    device: tunnelDevice,

    async unavailable(): Promise<InvalidCause | undefined> {
      if (!findProgram('openconnect') || !findProgram('setpriv') || !(await findAccounts()).engine) {
        return 'engine-absent';
      }
      const isSupported = findProgram('ip') && findProgram('nft') && isUsable('/dev/net/tun');
      return isSupported ? undefined : 'tunnel-unsupported';
    },

    async recover() {
      const accounts = await findAccounts();
      if (accounts.engine) await killProcessesOf(accounts.engine.uid);
      const content = await journal.read();
      const earlier = content.kind === 'entry' ? content.entry.connection : undefined;
      // One that a switch from or to other routing left over has no rules that keep it inside the tunnel.
      if (!earlier?.killSwitch || earlier.routing.mode !== 'pac') await proxies.end();
      if (content.kind === 'empty') return undefined;
      if (content.kind === 'unreadable') {
        log.warn('the journal cannot be read; undoing what can be told without it');
        await undoSteps(run, log, salvageSteps(content.text));
        return undefined;
      }
      const { connection, steps } = content.entry;
      lastConnection = connection;
      const keepClosed = connection.killSwitch;
      // After a reboot the table is gone too, so it comes first.
      if (keepClosed) await applyFilter(run, { connection, accounts });
      else await endTunnelConnections(run, log);
      await record.undo(connection, steps, { keepClosed });
      log.info('undid what an earlier helper left', { keepClosed });
      return keepClosed ? connection : undefined;
    },

    hold: (connection) =>
      enqueue(async () => {
        await record.undoLeftOver();
        if (readInterfaceCounters(tunnelDevice)) {
          throw new SystemChangeFailed(`there is a device ${tunnelDevice} already, and it is not ours`);
        }
        const { engine, proxy } = await findAccounts();
        if (!engine) throw new SystemChangeFailed(`there is no user ${options.engineUser}`);
        const current: Held = {
          connection,
          accounts: { engine, proxy },
          names: undefined,
          configuration: undefined,
          assigned: [],
          localPrefixes: [],
          proxy: undefined,
        };
        await changing(() => routingSwitch.prepare(current));
        try {
          await record.write(current);
        } catch (error) {
          // Nothing has been changed, and a proxy that was left is so still.
          proxies.leave(current.proxy);
          throw error;
        }
        const wasProxied = lastConnection?.routing.mode === 'pac';
        lastConnection = connection;
        held = current;
        const routing = routingOf(current);
        await changing(() =>
          // Both the filter and the routing rules hold traffic back, so either may be there first.
          settleAll([
            applyFilter(run, current),
            ...families().map((family) =>
              ipBatch(
                run,
                (family === 4 ? deviceBatch(engine.uid) : '') + routingBatch(family, routing),
                family,
              ),
            ),
          ]),
        );
        if (wasProxied && !current.proxy) await proxies.end();
      }),

    configure: (given) =>
      enqueue(async () => {
        const current = held;
        if (!current) throw new Error('configure before hold');
        const { ipv4 } = given.addresses;
        const addresses = hasIpv6() ? given.addresses : ipv4 === undefined ? {} : { ipv4 };
        const fresh = addressList(addresses);
        const old = current.assigned.filter((address) => !fresh.includes(address));
        const dns = {
          ...given.dns,
          servers: await names.usableServers(current, given.dns.servers, addresses),
        };
        if (dns.servers.length === 0) log.warn('there is no resolver that can be asked through the tunnel');
        current.configuration = { ...given, addresses, dns };
        current.assigned = [...old, ...fresh];
        await changing(async () => {
          await proxies.configure(current);
          await settleAll([
            applyFilter(run, current),
            ipBatch(run, configureBatch(given.mtu, fresh)),
            names.apply(current),
          ]);
          // Some name the addresses; where an earlier configuration failed, those of the new ones may be missing.
          const rulesFor = (assigned: string[]) => routingOf({ ...current, assigned });
          await changeRules(run, rulesFor(old), rulesFor(fresh));
          if (old.length > 0) await ipRemovalBatch(run, removeAddressesBatch(old, fresh));
        });
        current.assigned = fresh;
        return { addresses, dns };
      }),

    route: (change) =>
      enqueue(async () => {
        if (!held) return false;
        held = await routingSwitch.change(held, change);
        lastConnection = held.connection;
        return true;
      }),

    activeRouting(): ActiveRouting {
      const routing = held?.connection.routing ?? { mode: 'global', localNetwork: false };
      if (routing.mode === 'global') return routing;
      const listening = held?.proxy?.listening;
      if (!listening) return { mode: 'pac' };
      return { mode: 'pac', proxy: { address: listening.address, pacUrl: listening.pacUrl } };
    },

    watchRouting(onChange) {
      onRoutingMoved = onChange;
    },

    release: ({ keepClosed }) =>
      enqueue(async () => {
        const steps = record.steps(held);
        const addresses = held?.assigned ?? [];
        proxies.leave(held?.proxy);
        held = undefined;
        if (!keepClosed) {
          if (lastConnection?.routing.mode === 'pac') await proxies.end();
          await endTunnelConnections(run, log, addresses);
        }
        if (lastConnection && steps.length > 0) await record.undo(lastConnection, steps, { keepClosed });
      }),

    statistics: () => (held ? readInterfaceCounters(tunnelDevice) : undefined),

    unprivileged(program, args) {
      if (!known.engine) throw new Error(`there is no user ${options.engineUser}`);
      return unprivilegedCommand(known.engine, program, args);
    },

    watchUplink(onChange) {
      const current = held;
      if (!current) throw new Error('watchUplink before hold');
      const route = () => routeOfEngine(run, current.accounts.engine.uid, current.connection.address);
      let last = route();
      const stopDnsWatch = names.watch(() => {
        void enqueue(async () => held && names.follow(held)).catch((error: unknown) =>
          log.error('a change of the DNS settings could not be followed', error),
        );
      });
      const stopNetworkWatch = watchNetwork(log, () => {
        const before = last;
        last = route();
        void Promise.all([before, last, enqueue(async () => held && follow(held))])
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

function isUsable(file: string): boolean {
  try {
    accessSync(file);
    return true;
  } catch {
    return false;
  }
}
