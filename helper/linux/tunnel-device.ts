import { isIPv6 } from 'node:net';
import { z } from 'zod';
import { SystemChangeFailed } from '../system/system-adapter.ts';
import type { TunnelDevice } from '../system/ports.ts';
import type { Accounts } from './accounts.ts';
import type { RunCommand } from './command.ts';
import { configureBatch, deviceBatch, removeAddressesBatch } from './device-batches.ts';
import { routingTable, tunnelDevice } from './identifiers.ts';
import { readInterfaceCounters, readReceivedPackets } from './interface-counters.ts';
import { ipBatch, ipRemovalBatch } from './ip-batch.ts';
import { removeLink } from './netlink-routes.ts';
import type { NetworkMonitor } from './network-monitor.ts';

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
}): TunnelDevice {
  const { run, accounts, monitor } = parts;
  let isCreated = false;
  let configured: Parameters<TunnelDevice['configure']>[0] | undefined;

  const exists = () => readInterfaceCounters(tunnelDevice) !== undefined;

  async function create(): Promise<void> {
    const engine = await accounts.engine();
    if (!engine) throw new SystemChangeFailed('there is no user for the engine');
    await ipBatch(run, deviceBatch(engine.uid));
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
      await ipBatch(run, configureBatch(given.mtu, given.addresses));
    },
    async removeAddresses(old) {
      const kept = configured?.addresses ?? [];
      const gone = old.filter((address) => !kept.includes(address));
      if (gone.length > 0) await ipRemovalBatch(run, removeAddressesBatch(gone, kept));
    },
    async remove() {
      isCreated = false;
      configured = undefined;
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
      return isWhole && (await hasRoutes(configured.addresses)) ? 'in-force' : 'changed';
    },
    async restore() {
      if (!isCreated) return;
      if (!exists()) await create();
      await ipBatch(run, `link set dev ${tunnelDevice} up\n`);
      if (configured) await ipBatch(run, configureBatch(configured.mtu, configured.addresses));
    },
    watch: (onChange) => monitor.subscribe(onChange),
  };

  /** Whether our table leads into the device, for each IP version that has an address. */
  async function hasRoutes(addresses: readonly string[]): Promise<boolean> {
    const found = await Promise.all(
      addresses.map(async (address) => {
        const family = isIPv6(address) ? '-6' : '-4';
        const { stdout } = await run('ip', [family, 'route', 'show', 'table', String(routingTable)]);
        return stdout.split('\n').some((line) => line.startsWith(`default dev ${tunnelDevice} `));
      }),
    );
    return found.every(Boolean);
  }
}
