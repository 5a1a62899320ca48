import { SystemChangeFailed } from '../../system/ports/system-change-failed.ts';
import type { DeviceConfiguration, TunnelDevice } from '../../system/ports/tunnel-device-port.ts';
import type { Accounts } from '../callers/accounts.ts';
import type { RunCommand } from '../../posix/command.ts';
import { configureBatch, deviceBatch, ipVersionOf, removeAddressesBatch } from './device-batches.ts';
import { tunnelDevice } from '../identifiers.ts';
import { lacksForwarding } from '../forwarding.ts';
import { openEchoSocket } from './echo-socket.ts';
import { readInterfaceCounters, readReceivedPackets } from './interface-counters.ts';
import { ipBatch, ipRemovalBatch } from './ip-batch.ts';
import { forwardIpv4From } from '../netlink/netlink-forwarding.ts';
import { removeLink } from '../netlink/netlink-routes.ts';
import { hasAddresses, readTunnelDevice, readTunnelTable } from '../netlink/netlink-state.ts';
import type { NetworkMonitor } from './network-monitor.ts';
import { openTunnelDevice } from './open-tunnel-device.ts';
import type { PrefixTables } from './prefix-tables.ts';
import { hasIpv6, isIpv6Enabled } from './uplink.ts';

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
    await ipBatch(run, deviceBatch(engine.uid, { hasIpv6: hasIpv6() }));
  }

  async function configure(wanted: DeviceConfiguration): Promise<void> {
    const given = possible(wanted);
    await ipBatch(run, configureBatch(given));
    if (lacksForwarding(tunnelDevice)) await forwardIpv4From(tunnelDevice);
    await tables.lead([...new Set(given.addresses.map(ipVersionOf))]);
  }

  return {
    name: tunnelDevice,
    handle: { name: tunnelDevice, packetHeader: 'virtio', open: () => openTunnelDevice(tunnelDevice) },
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
    openEcho: openEchoSocket,

    async verify() {
      if (!isCreated) return 'unset';
      const found = await readTunnelDevice();
      if (!found?.isUp) return 'changed';
      if (!configured) return 'in-force';
      const { mtu, addresses } = possible(configured);
      const isWhole =
        found.mtu === mtu && !lacksForwarding(tunnelDevice) && (await hasAddresses(found.index, addresses));
      return isWhole && (await hasRoutes(addresses)) ? 'in-force' : 'changed';
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
  async function hasRoutes(addresses: readonly string[]): Promise<boolean> {
    const found = await Promise.all([
      ...addresses.map(async (address) => (await readTunnelTable(ipVersionOf(address))).leads),
      tables.leads(),
    ]);
    return found.every(Boolean);
  }
}

/** Without the addresses that the device cannot have while IPv6 is switched off, as it may be after it had got them. */
function possible({ mtu, addresses }: DeviceConfiguration): DeviceConfiguration {
  return { mtu, addresses: isIpv6Enabled() ? addresses : addresses.filter((one) => ipVersionOf(one) === 4) };
}
