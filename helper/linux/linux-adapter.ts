import { accessSync, existsSync, readFileSync } from 'node:fs';
import type { InvalidCause } from '#shared/tunnel/state.ts';
import type { Journal } from '../journal.ts';
import type { Log } from '../log.ts';
import { SystemChangeFailed, type Connection, type SystemAdapter } from '../system-adapter.ts';
import type { TunnelConfiguration } from '../tunnel/tunnel-configuration.ts';
import { findUser, type Account } from './accounts.ts';
import { findProgram, runOrThrow, type RunCommand } from './command.ts';
import { killEngineProcesses } from './engine-processes.ts';
import { tunnelDevice } from './identifiers.ts';
import { readInterfaceCounters } from './interface-counters.ts';
import { ipBatch, ipRemovalBatch } from './ip-batch.ts';
import {
  areResolversSet,
  findNameServiceManager,
  isNameServiceRemembered,
  rememberNameService,
  setResolvers,
  type NameServiceManager,
} from './name-service.ts';
import { packetFilterScript } from './nftables.ts';
import { holdBatch } from './policy-routing.ts';
import { addressList, configureBatch, deviceBatch, removeAddressesBatch } from './tunnel-device.ts';
import { createTurns } from './turns.ts';
import { salvageSteps, undoSteps } from './undo.ts';
import type { JournalEntry, UndoStep } from './undo-step.ts';
import { unprivilegedCommand } from './unprivileged-command.ts';
import { localPrefixes, routeOfEngine, watchNetwork } from './uplink.ts';

export interface LinuxAdapterOptions {
  engineUser: string;
  journal: Journal<JournalEntry>;
  run: RunCommand;
  log: Log;
}

/** What is set up at present. */
interface Held {
  connection: Connection;
  engine: Account;
  names: { manager: NameServiceManager; step: UndoStep | undefined };
  configuration: TunnelConfiguration | undefined;
  /** Addresses that the device may have, of failed configurations too. */
  assigned: string[];
  localPrefixes: string[];
}

const filterStep: UndoStep = { kind: 'packet-filter' };

/** Linux: policy routing and nftables around a TUN device, names by whoever manages them. */
export function createLinuxAdapter({ engineUser, journal, run, log }: LinuxAdapterOptions): SystemAdapter {
  let account: Account | undefined;
  let held: Held | undefined;
  /** Steps that are still to be undone although nothing is set up: the filter held closed, or failed ones. */
  let unfinished: UndoStep[] = [];
  let lastConnection: Connection | undefined;

  const findEngineAccount = async (): Promise<Account | undefined> => {
    account ??= await findUser(engineUser);
    return account;
  };

  const hasIpv6 = () => existsSync('/proc/self/net/if_inet6');

  const applyFilter = (connection: Connection, engine: Account | undefined, current?: Held) =>
    runOrThrow(
      run,
      'nft',
      ['-f', '-'],
      packetFilterScript({
        device: tunnelDevice,
        engineUid: engine?.uid,
        clientUids: connection.clientUids,
        gateway: { address: connection.address, port: connection.gateway.port },
        localPrefixes: current?.localPrefixes ?? [],
        tunnelAddresses: current?.configuration?.addresses ?? {},
        forwarding: isForwarding(),
      }),
    );

  const stepsOf = ({ names }: Pick<Held, 'names'>): UndoStep[] => [
    ...unfinished.filter((step) => step.kind !== 'packet-filter'),
    filterStep,
    { kind: 'device-and-routing' },
    ...(names.step === undefined ? [] : [names.step]),
  ];

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
    if (!(await isNameServiceRemembered(current.names.step))) {
      current.names.step = await rememberNameService(current.names.manager);
      await journal.write({ version: 1, connection: current.connection, steps: stepsOf(current) });
    }
    if (dns.servers.length > 0) await setResolvers(run, current.names.manager, current.names.step, dns);
  }

  /** Follows what others have changed: the local networks, and a resolv.conf written by a DHCP client. */
  async function follow(current: Held): Promise<void> {
    if (held !== current) return;
    if (current.configuration?.dns.servers.length && !(await areResolversSet(current.names.step))) {
      await applyNames(current, current.configuration);
    }
    if (!current.connection.routing.localNetwork) return;
    const found = await localPrefixes(run);
    if (found.join() === current.localPrefixes.join()) return;
    current.localPrefixes = found;
    await applyFilter(current.connection, current.engine, current);
  }

  /** One after the other: a change that others cause must not come after the release. */
  const inTurn = createTurns();

  return {
    device: tunnelDevice,

    async unavailable(): Promise<InvalidCause | undefined> {
      if (!findProgram('openconnect') || !findProgram('setpriv') || !(await findEngineAccount())) {
        return 'engine-absent';
      }
      const isSupported = findProgram('ip') && findProgram('nft') && isUsable('/dev/net/tun');
      return isSupported ? undefined : 'tunnel-unsupported';
    },

    async recover() {
      const engine = await findEngineAccount();
      if (engine) await killEngineProcesses(engine.uid);
      const content = await journal.read();
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
      if (keepClosed) await applyFilter(connection, engine);
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
        const [engine, manager] = await Promise.all([findEngineAccount(), findNameServiceManager()]);
        if (!engine) throw new SystemChangeFailed(`there is no user ${engineUser}`);
        const names = { manager, step: await rememberNameService(manager) };
        const current: Held = {
          connection,
          engine,
          names,
          configuration: undefined,
          assigned: [],
          localPrefixes: [],
        };
        await journal.write({ version: 1, connection, steps: stepsOf(current) });
        lastConnection = connection;
        held = current;
        const routing = {
          engineUid: engine.uid,
          gateway: { address: connection.address, port: connection.gateway.port },
          localNetwork: connection.routing.localNetwork,
        };
        await changing(async () => {
          if (connection.routing.localNetwork) current.localPrefixes = await localPrefixes(run);
          // Both the filter and the routing rules hold traffic back, so either may be there first.
          await allDone([
            applyFilter(connection, engine, current),
            ipBatch(run, deviceBatch(engine.uid) + holdBatch(4, routing), 4),
            ...(hasIpv6() ? [ipBatch(run, holdBatch(6, routing), 6)] : []),
          ]);
        });
      }),

    configure: (given) =>
      inTurn(async () => {
        const current = held;
        if (!current) throw new Error('configure before hold');
        const { ipv4 } = given.addresses;
        const addresses = hasIpv6() ? given.addresses : ipv4 === undefined ? {} : { ipv4 };
        const fresh = addressList(addresses);
        const old = current.assigned.filter((address) => !fresh.includes(address));
        current.configuration = { ...given, addresses };
        current.assigned = [...old, ...fresh];
        await changing(async () => {
          await allDone([
            applyFilter(current.connection, current.engine, current),
            ipBatch(run, configureBatch(given.mtu, fresh)),
            applyNames(current, current.configuration ?? given),
          ]);
          if (old.length > 0) await ipRemovalBatch(run, removeAddressesBatch(old, fresh));
        });
        current.assigned = fresh;
        return addresses;
      }),

    release: ({ keepClosed }) =>
      inTurn(async () => {
        const steps = held ? stepsOf(held) : unfinished;
        held = undefined;
        if (lastConnection && steps.length > 0) await undoAndRemember(lastConnection, steps, { keepClosed });
      }),

    statistics: () => (held ? readInterfaceCounters(tunnelDevice) : undefined),

    unprivileged(program, args) {
      if (!account) throw new Error(`there is no user ${engineUser}`);
      return unprivilegedCommand(account, program, args);
    },

    watchUplink(onChange) {
      const current = held;
      if (!current) throw new Error('watchUplink before hold');
      const route = () => routeOfEngine(run, current.engine.uid, current.connection.address);
      let known = route();
      return watchNetwork(log, () => {
        const before = known;
        known = route();
        void Promise.all([before, known, inTurn(() => follow(current))])
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

function isForwarding(): boolean {
  return ['ipv4/ip_forward', 'ipv6/conf/all/forwarding'].some((name) => {
    try {
      return readFileSync(`/proc/sys/net/${name}`, 'utf8').trim() !== '0';
    } catch {
      return false;
    }
  });
}

function isUsable(file: string): boolean {
  try {
    accessSync(file);
    return true;
  } catch {
    return false;
  }
}
