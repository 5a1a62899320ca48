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
import {
  findNameServiceManager,
  isNameServiceRemembered,
  rememberNameService,
  setResolvers,
  type NameServiceManager,
} from './name-service.ts';
import { packetFilterScript } from './nftables.ts';
import { holdBatch, removeTunnelRoute, tunnelRoute, type Family } from './policy-routing.ts';
import { undoSteps, salvageSteps } from './undo.ts';
import { localPrefixes, routeOfEngine, watchNetwork } from './uplink.ts';
import type { JournalEntry, UndoStep } from './undo-step.ts';

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
  addresses: TunnelConfiguration['addresses'];
  localPrefixes: string[];
}

const filterStep: UndoStep = { kind: 'packet-filter' };

export function createLinuxAdapter({ engineUser, journal, run, log }: LinuxAdapterOptions): SystemAdapter {
  let held: Held | undefined;
  let account: Account | undefined;

  const hasIpv6 = () => existsSync('/proc/self/net/if_inet6');

  const filterOf = (connection: Connection, engineUid: number, current?: Held) =>
    packetFilterScript({
      device: tunnelDevice,
      engineUid,
      clientUids: connection.clientUids,
      gateway: { address: connection.address, port: connection.gateway.port },
      localPrefixes: current?.localPrefixes ?? [],
      tunnelAddresses: current?.addresses ?? {},
      forwarding: isForwarding(),
    });

  const applyFilter = (script: string) => runOrThrow(run, 'nft', ['-f', '-'], script);

  /** Without a family, each line's own addresses say which it is. */
  const ip = (batch: string, family?: Family) =>
    runOrThrow(run, 'ip', [...(family === undefined ? [] : [`-${family}`]), '-batch', '-'], batch);

  const stepsOf = (current: Pick<Held, 'names'>): UndoStep[] => [
    filterStep,
    { kind: 'device' },
    { kind: 'policy-routing' },
    ...(current.names.step === undefined ? [] : [current.names.step]),
  ];

  const findEngineAccount = async (): Promise<Account | undefined> => {
    account ??= await findUser(engineUser);
    return account;
  };

  const engineAccount = async (): Promise<Account> => {
    const found = await findEngineAccount();
    if (found === undefined) throw new Error(`there is no user ${engineUser}`);
    return found;
  };

  async function refreshLocalPrefixes(current: Held): Promise<void> {
    const found = await localPrefixes(run);
    if (held !== current || found.join() === current.localPrefixes.join()) return;
    current.localPrefixes = found;
    await applyFilter(filterOf(current.connection, current.engine.uid, current));
  }

  return {
    device: tunnelDevice,

    async unavailable(): Promise<InvalidCause | undefined> {
      if (!findProgram('openconnect') || !findProgram('setpriv') || !(await findEngineAccount())) {
        return 'engine-absent';
      }
      return findProgram('ip') && findProgram('nft') && isUsable('/dev/net/tun')
        ? undefined
        : 'tunnel-unsupported';
    },

    async recover() {
      const engine = await findEngineAccount();
      if (engine) await killEngineProcesses(engine.uid);
      const content = await journal.read();
      if (content.kind === 'empty') return undefined;
      if (content.kind === 'unreadable') {
        log.warn('the journal cannot be read; undoing what can be told without it');
        await undoSteps(run, salvageSteps(content.text));
        return undefined;
      }
      const { connection, steps } = content.entry;
      if (!connection.killSwitch || !engine) {
        await undoSteps(run, steps);
        await journal.clear();
        log.info('undid what an earlier helper left');
        return undefined;
      }
      // After a reboot the table is gone too, so it comes first.
      await applyFilter(filterOf(connection, engine.uid));
      await undoSteps(
        run,
        steps.filter((step) => step.kind !== 'packet-filter'),
      );
      await journal.write({ version: 1, connection, steps: [filterStep] });
      log.info('traffic stays held back: the kill switch is on');
      return connection;
    },

    async hold(connection) {
      if (readInterfaceCounters(tunnelDevice)) {
        throw new SystemChangeFailed(`there is a device ${tunnelDevice} already, and it is not ours`);
      }
      const [engine, manager] = await Promise.all([engineAccount(), findNameServiceManager()]);
      const names = { manager, step: await rememberNameService(manager) };
      const current: Held = { connection, engine, names, addresses: {}, localPrefixes: [] };
      await journal.write({ version: 1, connection, steps: stepsOf(current) });
      held = current;
      await changing(async () => {
        if (connection.routing.localNetwork) current.localPrefixes = await localPrefixes(run);
        await applyFilter(filterOf(connection, engine.uid, current));
        const routing = {
          engineUid: engine.uid,
          gateway: { address: connection.address, port: connection.gateway.port },
          localNetwork: connection.routing.localNetwork,
        };
        await allDone([
          ip(deviceBatch(engine.uid) + holdBatch(4, routing), 4),
          ...(hasIpv6() ? [ip(holdBatch(6, routing), 6)] : []),
        ]);
      });
    },

    async configure({ addresses, mtu, dns }) {
      const current = held;
      if (!current) throw new Error('configure before hold');
      await changing(async () => {
        const before = current.addresses;
        current.addresses = hasIpv6() ? addresses : { ...(addresses.ipv4 && { ipv4: addresses.ipv4 }) };
        if (!(await isNameServiceRemembered(current.names.step))) {
          current.names.step = await rememberNameService(current.names.manager);
          await journal.write({ version: 1, connection: current.connection, steps: stepsOf(current) });
        }
        await allDone([
          applyFilter(filterOf(current.connection, current.engine.uid, current)),
          ip(`link set dev ${tunnelDevice} mtu ${mtu}\n${addressBatch(before, current.addresses)}`),
          ...(dns.servers.length > 0
            ? [setResolvers(run, current.names.manager, current.names.step, dns)]
            : []),
        ]);
      });
    },

    async release({ keepClosed }) {
      const current = held;
      if (!current) {
        if (!keepClosed) {
          await undoSteps(run, [filterStep]);
          await journal.clear();
        }
        return;
      }
      held = undefined;
      const steps = stepsOf(current);
      await undoSteps(
        run,
        steps.filter((step) => !keepClosed || step.kind !== 'packet-filter'),
      );
      if (keepClosed)
        await journal.write({ version: 1, connection: current.connection, steps: [filterStep] });
      else await journal.clear();
    },

    statistics: () => (held ? readInterfaceCounters(tunnelDevice) : undefined),

    unprivileged(program, args) {
      const [setpriv, file] = [findProgram('setpriv'), findProgram(program)];
      if (!account || setpriv === undefined || file === undefined)
        throw new Error(`${program} cannot be run`);
      return {
        file: setpriv,
        args: [
          `--reuid=${account.uid}`,
          `--regid=${account.gid}`,
          '--clear-groups',
          '--bounding-set=-all',
          '--inh-caps=-all',
          '--ambient-caps=-all',
          '--no-new-privs',
          // No engine outlives the helper, whatever ends that.
          '--pdeathsig=KILL',
          '--',
          file,
          ...args,
        ],
        environment: { LC_ALL: 'C', PATH: '/usr/bin:/bin' },
      };
    },

    watchUplink(onChange) {
      const current = held;
      if (!current) throw new Error('watchUplink before hold');
      const route = () => routeOfEngine(run, current.engine.uid, current.connection.address);
      let known = route();
      return watchNetwork(log, () => {
        const before = known;
        known = route();
        void Promise.all([before, known])
          .then(async ([old, now]) => {
            if (current.connection.routing.localNetwork) await refreshLocalPrefixes(current);
            if (old !== now) onChange(now !== undefined);
          })
          .catch((error: unknown) => log.error('the uplink cannot be examined', error));
      });
    },
  };
}

/** Makes the device for the engine's user, who can then open it without any privilege. */
function deviceBatch(engineUid: number): string {
  return [
    `tuntap add dev ${tunnelDevice} mode tun user ${engineUid}`,
    // No link-local address and so no router solicitations of the kernel's own.
    `link set dev ${tunnelDevice} addrgenmode none`,
    `link set dev ${tunnelDevice} up`,
    '',
  ].join('\n');
}

/**
 * New addresses before the old ones go: the kernel takes a device's routes away with its last address. The
 * family of addresses and routes follows from the address.
 */
function addressBatch(
  before: TunnelConfiguration['addresses'],
  after: TunnelConfiguration['addresses'],
): string {
  const families = [
    { family: 4, length: 32, old: before.ipv4, fresh: after.ipv4 },
    { family: 6, length: 128, old: before.ipv6, fresh: after.ipv6 },
  ] as const;
  return families
    .flatMap(({ family, length, old, fresh }) => [
      ...(fresh === undefined
        ? []
        : [`address replace ${fresh}/${length} dev ${tunnelDevice}${family === 6 ? ' nodad' : ''}`]),
      ...(old === undefined || old === fresh ? [] : [`address del ${old}/${length} dev ${tunnelDevice}`]),
      ...(fresh === undefined ? [] : [tunnelRoute(family)]),
      ...(fresh === undefined && old !== undefined ? [removeTunnelRoute(family)] : []),
    ])
    .map((line) => `${line}\n`)
    .join('');
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
