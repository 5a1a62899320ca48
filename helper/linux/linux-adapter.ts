import { accessSync, existsSync } from 'node:fs';
import { createTurns } from '#shared/turns.ts';
import type { ActiveRouting, InvalidCause } from '#shared/tunnel/state.ts';
import type { Journal } from '../journal.ts';
import type { Log } from '../log.ts';
import { SystemChangeFailed, type Connection, type SystemAdapter } from '../system-adapter.ts';
import type { TunnelConfiguration } from '../tunnel/tunnel-configuration.ts';
import { findUser } from './accounts.ts';
import { findProgram, runOrThrow, type RunCommand } from './command.ts';
import { filterOf, keepsLocalNetwork, routingOf, type Accounts, type Held } from './held.ts';
import { tunnelDevice } from './identifiers.ts';
import { readInterfaceCounters } from './interface-counters.ts';
import { ipBatch, ipRemovalBatch } from './ip-batch.ts';
import {
  areResolversSet,
  findNameServiceManager,
  isNameServiceRemembered,
  rememberNameService,
  releaseResolvers,
  setResolvers,
} from './name-service.ts';
import { packetFilterScript } from './nftables.ts';
import { routingBatch, routingChange, type Family, type PolicyRouting } from './policy-routing.ts';
import { createRoutingProxy, type RoutingProxyProcess } from './routing-proxy.ts';
import { addressList, configureBatch, deviceBatch, removeAddressesBatch } from './tunnel-device.ts';
import { salvageSteps, undoSteps } from './undo.ts';
import type { JournalEntry, UndoStep } from './undo-step.ts';
import { unprivilegedCommand } from './unprivileged-command.ts';
import { localPrefixes, routeOfEngine, watchNetwork } from './uplink.ts';
import { killProcessesOf } from './user-processes.ts';

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

const filterStep: UndoStep = { kind: 'packet-filter' };

/** Linux: policy routing and nftables around a TUN device, names by whoever manages them. */
export function createLinuxAdapter(options: LinuxAdapterOptions): SystemAdapter {
  const { journal, run, log } = options;
  const known: Accounts = { engine: undefined, proxy: undefined };
  let held: Held | undefined;
  /** Steps that are still to be undone although nothing is set up: the filter held closed, or failed ones. */
  let unfinished: UndoStep[] = [];
  let lastConnection: Connection | undefined;
  let onRoutingMoved: () => void = () => undefined;
  /** The proxy of a connection that has ended, where programs are to fail until an explicit disconnect. */
  let left: RoutingProxyProcess | undefined;

  const findAccounts = async (): Promise<Accounts> => {
    known.engine ??= await findUser(options.engineUser);
    known.proxy ??= await findUser(options.proxyUser);
    return known;
  };

  const hasIpv6 = () => existsSync('/proc/self/net/if_inet6');
  const families = (): Family[] => (hasIpv6() ? [4, 6] : [4]);

  const applyFilter = (connection: Connection, accounts: Accounts, current?: Held) =>
    runOrThrow(run, 'nft', ['-f', '-'], packetFilterScript(filterOf(connection, accounts, current)));

  async function changeRules(before: PolicyRouting, after: PolicyRouting): Promise<void> {
    await allDone(
      families().map(async (family) => {
        const { added, removed } = routingChange(family, before, after);
        if (added !== '') await ipBatch(run, added, family);
        if (removed !== '') await ipRemovalBatch(run, removed, family);
      }),
    );
  }

  const stepsOf = ({ names }: Pick<Held, 'names'>): UndoStep[] => [
    ...unfinished.filter((step) => step.kind !== 'packet-filter'),
    filterStep,
    { kind: 'device-and-routing' },
    ...(names?.step === undefined ? [] : [names.step]),
  ];

  const writeDown = (current: Held) =>
    journal.write({ version: 1, connection: current.connection, steps: stepsOf(current) });

  /** Undoes steps and writes down what is left to be undone: what failed, and the filter if it stays. */
  async function undoAndRemember(
    connection: Connection,
    steps: readonly UndoStep[],
    { keepClosed }: { keepClosed: boolean },
  ): Promise<void> {
    const failed = await undoSteps(
      run,
      log,
      steps.filter((step) => !keepClosed || step.kind !== 'packet-filter'),
    );
    unfinished = keepClosed ? [...failed, filterStep] : failed;
    if (unfinished.length > 0) await journal.write({ version: 1, connection, steps: unfinished });
    else await journal.clear();
  }

  /** Remembers what names were like if somebody has changed that since, then makes the tunnel's the only ones. */
  async function applyNames(current: Held, { dns }: TunnelConfiguration): Promise<void> {
    const { names } = current;
    if (!names) return;
    if (!(await isNameServiceRemembered(names.step))) {
      names.step = await rememberNameService(names.manager);
      await writeDown(current);
    }
    if (dns.servers.length > 0) await setResolvers(run, names.manager, names.step, dns);
  }

  /** Names are resolved as before the tunnel again. */
  async function releaseNames(current: Held): Promise<void> {
    const { names } = current;
    if (!names) return;
    if (names.step) unfinished.push(...(await undoSteps(run, log, [names.step])));
    if (current.configuration) await releaseResolvers(run, names.manager);
    current.names = undefined;
    await writeDown(current);
  }

  /** Names that a proxy is asked for are looked up inside the tunnel; the machine's own ones are left alone. */
  async function applyProxy({ connection, proxy, configuration }: Held): Promise<void> {
    if (!proxy || !configuration || connection.routing.mode !== 'pac') return;
    const { routeDomains, blockedDomains } = connection.routing;
    const { ipv4, ipv6 } = configuration.addresses;
    await proxy.configure({
      resolvers: configuration.dns.servers,
      families: { ipv4: ipv4 !== undefined, ipv6: ipv6 !== undefined },
      routeDomains,
      blockedDomains,
    });
  }

  /** Ends the proxy that is left, also that of an earlier helper. */
  async function endProxy(): Promise<void> {
    left?.stop();
    left = undefined;
    if (known.proxy) await killProcessesOf(known.proxy.uid);
  }

  /** Follows what others have changed: the local networks, and a resolv.conf written by a DHCP client. */
  async function follow(current: Held): Promise<void> {
    const { configuration, names, connection } = current;
    if (names && configuration?.dns.servers.length && !(await areResolversSet(names.step))) {
      await applyNames(current, configuration);
    }
    if (!keepsLocalNetwork(connection.routing)) return;
    const found = await localPrefixes(run);
    if (found.join() === current.localPrefixes.join()) return;
    current.localPrefixes = found;
    await applyFilter(connection, current.accounts, current);
  }

  /** Its new port is for those who connected, as the old one was; and whoever uses it is to know. */
  function followProxy(): void {
    void inTurn(async () => {
      if (!held?.proxy) return;
      await applyFilter(held.connection, held.accounts, held);
      onRoutingMoved();
    }).catch((error: unknown) => log.error('the proxy could not be followed to another port', error));
  }

  /** Finds out and starts what routing in this way needs, without changing anything yet. */
  async function prepareRouting(current: Held): Promise<void> {
    const { connection, accounts } = current;
    if (connection.routing.mode === 'pac') {
      if (!accounts.proxy) throw new SystemChangeFailed(`there is no user ${options.proxyUser}`);
      if (left && left.outlives !== connection.killSwitch) await endProxy();
      current.proxy ??=
        left ??
        createRoutingProxy({
          account: accounts.proxy,
          script: options.proxyScript,
          outlives: connection.killSwitch,
          onMoved: followProxy,
          log,
        });
      left = undefined;
      await applyProxy(current);
      return;
    }
    if (!current.names) {
      const manager = await findNameServiceManager();
      current.names = { manager, step: await rememberNameService(manager) };
    }
    current.localPrefixes = keepsLocalNetwork(connection.routing) ? await localPrefixes(run) : [];
  }

  /** One after the other: a change that others cause must not come after the release. */
  const inTurn = createTurns();

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
      if (!earlier?.killSwitch || earlier.routing.mode !== 'pac') await endProxy();
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
      if (keepClosed) await applyFilter(connection, accounts);
      await undoAndRemember(connection, steps, { keepClosed });
      log.info('undid what an earlier helper left', { keepClosed });
      return keepClosed ? connection : undefined;
    },

    hold: (connection) =>
      inTurn(async () => {
        const stale = unfinished.filter((step) => step.kind !== 'packet-filter');
        if (stale.length > 0) unfinished = [...(await undoSteps(run, log, stale)), filterStep];
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
        await changing(() => prepareRouting(current));
        try {
          await writeDown(current);
        } catch (error) {
          // Nothing has been changed, and a proxy that was left is so still.
          left = current.proxy;
          throw error;
        }
        const wasProxied = lastConnection?.routing.mode === 'pac';
        lastConnection = connection;
        held = current;
        const routing = routingOf(current);
        await changing(() =>
          // Both the filter and the routing rules hold traffic back, so either may be there first.
          allDone([
            applyFilter(connection, current.accounts, current),
            ...families().map((family) =>
              ipBatch(
                run,
                (family === 4 ? deviceBatch(engine.uid) : '') + routingBatch(family, routing),
                family,
              ),
            ),
          ]),
        );
        if (wasProxied && !current.proxy) await endProxy();
      }),

    configure: (given) =>
      inTurn(async () => {
        const current = held;
        if (!current) throw new Error('configure before hold');
        const { ipv4 } = given.addresses;
        const addresses = hasIpv6() ? given.addresses : ipv4 === undefined ? {} : { ipv4 };
        const fresh = addressList(addresses);
        const old = current.assigned.filter((address) => !fresh.includes(address));
        const rules = routingOf(current);
        current.configuration = { ...given, addresses };
        current.assigned = [...old, ...fresh];
        await changing(async () => {
          await applyProxy(current);
          await allDone([
            applyFilter(current.connection, current.accounts, current),
            ipBatch(run, configureBatch(given.mtu, fresh)),
            applyNames(current, current.configuration ?? given),
          ]);
          // Some name the addresses.
          await changeRules(rules, routingOf(current));
          if (old.length > 0) await ipRemovalBatch(run, removeAddressesBatch(old, fresh));
        });
        current.assigned = fresh;
        return addresses;
      }),

    route: (routing) =>
      inTurn(async () => {
        const before = held;
        if (!before) return false;
        const current: Held = { ...before, connection: { ...before.connection, routing } };
        try {
          await prepareRouting(current);
          await writeDown(current);
        } catch (error) {
          // Nothing has been changed.
          if (!before.proxy && current.proxy) {
            left = current.proxy;
            await endProxy();
          }
          throw error;
        }
        held = current;
        lastConnection = current.connection;
        await changing(async () => {
          if (routing.mode === 'pac') await releaseNames(current);
          // Before the rules, so that neither way is there without its filter.
          await applyFilter(current.connection, current.accounts, current);
          await changeRules(routingOf(before), routingOf(current));
          if (current.configuration) await applyNames(current, current.configuration);
        });
        if (routing.mode !== 'pac') {
          left = current.proxy;
          current.proxy = undefined;
          await endProxy();
        }
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
      inTurn(async () => {
        const steps = held ? stepsOf(held) : unfinished;
        left = held?.proxy ?? left;
        held = undefined;
        if (!keepClosed && lastConnection?.routing.mode === 'pac') await endProxy();
        if (lastConnection && steps.length > 0) await undoAndRemember(lastConnection, steps, { keepClosed });
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
      return watchNetwork(log, () => {
        const before = last;
        last = route();
        void Promise.all([before, last, inTurn(async () => held && follow(held))])
          .then(([old, now]) => {
            if (old !== now) onChange(now !== undefined);
          })
          .catch((error: unknown) => log.error('a change of the network could not be followed', error));
      });
    },
  };
}

/** Like `Promise.all`, but nothing is under way any more when it rejects. */
async function allDone(changes: readonly Promise<unknown>[]): Promise<void> {
  await Promise.allSettled(changes);
  await Promise.all(changes);
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
