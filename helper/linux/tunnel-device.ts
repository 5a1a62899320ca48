import { isIPv6 } from 'node:net';
import { z } from 'zod';
import { SystemChangeFailed } from '../system/system-adapter.ts';
import type { DeviceConfiguration, TunnelDevice } from '../system/ports.ts';
import type { Accounts } from './accounts.ts';
import type { RunCommand } from './command.ts';
import { configureBatch, deviceBatch, familyOf, removeAddressesBatch } from './device-batches.ts';
import { routingTable, tunnelDevice } from './identifiers.ts';
import { readInterfaceCounters, readReceivedPackets } from './interface-counters.ts';
import { ipBatch, ipRemovalBatch } from './ip-batch.ts';
import { removeLink } from './netlink-routes.ts';
import type { NetworkMonitor } from './network-monitor.ts';
import type { PrefixTables } from './prefix-tables.ts';

/** Of `ip -json address show`, what tells whether the device is as it was left. */
const interfaceList = z.array(
  z.object({
    flags: z.array(z.string()),
    mtu: z.number(),
    addr_info: z.array(z.object({ local: z.string().optional() })),
  }),
);

/** A TUN device, with the routes that lead into it in a table of our own. */
export function createTunnelDevice(parts: {
  run: RunCommand;
  accounts: Accounts;
  monitor: NetworkMonitor;
  tables: PrefixTables;
}): TunnelDevice {
  const { run, accounts, monitor, tables } = parts;
  let isCreated = false;
  let configured: DeviceConfiguration | undefined;

  const exists = () => readInterfaceCounters(tunnelDevice) !== undefined;

  async function create(): Promise<void> {
    const engine = await accounts.engine();
    if (!engine) throw new SystemChangeFailed('there is no user for the engine');
    await ipBatch(run, deviceBatch(engine.uid));
  }

  async function configure(given: DeviceConfiguration): Promise<void> {
    await ipBatch(run, configureBatch(given));
    await tables.lead([...new Set(given.addresses.map(familyOf))]);
  }

  return {
    name: tunnelDevice,
    exists,
    async create() {
      await create();
      isCreated = true;
    },
    async configure(given) {
      configured = given;
      await configure(given);
    },
    async removeAddresses(old) {
      const kept = configured?.addresses ?? [];
      const gone = old.filter((address) => !kept.includes(address));
      if (gone.length > 0) await ipRemovalBatch(run, removeAddressesBatch(gone, kept));
    },
    async remove() {
      isCreated = false;
      configured = undefined;
      tables.deviceLost();
      await removeLink(tunnelDevice);
    },
    statistics: () => (isCreated ? readInterfaceCounters(tunnelDevice) : undefined),
    receivedPackets: () => (isCreated ? readReceivedPackets(tunnelDevice) : undefined),

    async verify() {
      if (!isCreated) return 'unset';
      const { status, stdout } = await run('ip', ['-json', 'address', 'show', 'dev', tunnelDevice]);
      if (status !== 0) return 'changed';
      const [found] = interfaceList.parse(JSON.parse(stdout));
      if (!found?.flags.includes('UP')) return 'changed';
      if (!configured) return 'in-force';
      const has = found.addr_info.flatMap(({ local }) => local ?? []);
      const isWhole =
        found.mtu === configured.mtu && configured.addresses.every((address) => has.includes(address));
      return isWhole && (await hasRoutes(configured)) ? 'in-force' : 'changed';
    },
    async restore() {
      if (!isCreated) return;
      if (!exists()) await create();
      await ipBatch(run, `link set dev ${tunnelDevice} up\n`);
      tables.deviceLost();
      if (configured) await configure(configured);
    },
    watch: (onChange) => monitor.subscribe(onChange),
  };

  /** Whether our tables lead into the device, for each IP version that has an address. */
  async function hasRoutes({ addresses }: DeviceConfiguration): Promise<boolean> {
    const table = ['route', 'show', 'table', String(routingTable)];
    const found = await Promise.all([
      ...addresses.map(async (address) => {
        const { stdout } = await run('ip', [isIPv6(address) ? '-6' : '-4', ...table]);
        return stdout.split('\n').some((line) => line.startsWith(`default dev ${tunnelDevice} `));
      }),
      tables.leads(),
    ]);
    return found.every(Boolean);
  }
}
