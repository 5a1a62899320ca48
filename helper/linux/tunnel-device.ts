import { isIPv6 } from 'node:net';
import { z } from 'zod';
import { SystemChangeFailed } from '../system/system-adapter.ts';
import type { DeviceConfiguration, TunnelDevice } from '../system/ports.ts';
import type { Accounts } from './accounts.ts';
import type { RunCommand } from './command.ts';
import { configureBatch, deviceBatch, reachable, removeAddressesBatch } from './device-batches.ts';
import { prefixTable, routingTable, tunnelDevice } from './identifiers.ts';
import { readInterfaceCounters, readReceivedPackets } from './interface-counters.ts';
import { ipBatch, ipRemovalBatch } from './ip-batch.ts';
import { prefixRoute, removeRouteLines } from './router-rules.ts';
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
  let configured: DeviceConfiguration | undefined;

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
      const before = configured;
      configured = given;
      await ipBatch(run, configureBatch(given));
      if (!before) return;
      const kept = new Set(reachable(given.prefixes, given.addresses));
      const stale = reachable(before.prefixes, before.addresses).filter((prefix) => !kept.has(prefix));
      if (stale.length > 0) await ipRemovalBatch(run, removeRouteLines(stale.map(prefixRoute)));
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
      return isWhole && (await hasRoutes(configured)) ? 'in-force' : 'changed';
    },
    async restore() {
      if (!isCreated) return;
      if (!exists()) await create();
      await ipBatch(run, `link set dev ${tunnelDevice} up\n`);
      if (configured) await ipBatch(run, configureBatch(configured));
    },
    watch: (onChange) => monitor.subscribe(onChange),
  };

  /** Whether our tables lead into the device, for each IP version that has an address. */
  async function hasRoutes({ addresses, prefixes }: DeviceConfiguration): Promise<boolean> {
    const routes = async (address: string, table: number) => {
      const family = isIPv6(address) ? '-6' : '-4';
      return (await run('ip', [family, 'route', 'show', 'table', String(table)])).stdout.split('\n');
    };
    const found = await Promise.all(
      addresses.flatMap((address) => {
        const expected = reachable(prefixes, [address]).length;
        const hasDefault = async () =>
          (await routes(address, routingTable)).some((line) =>
            line.startsWith(`default dev ${tunnelDevice} `),
          );
        const hasPrefixes = async () =>
          (await routes(address, prefixTable)).filter((line) => line.includes(` dev ${tunnelDevice} `))
            .length === expected;
        return [hasDefault(), ...(expected > 0 ? [hasPrefixes()] : [])];
      }),
    );
    return found.every(Boolean);
  }
}
