import { isIPv6 } from 'node:net';
import { canonicalPrefix } from '#shared/tunnel/prefix.ts';
import { SystemChangeFailed } from '../../system/ports/system-change-failed.ts';
import type {
  DeviceConfiguration,
  OpenedDevice,
  TunnelDevice,
} from '../../system/ports/tunnel-device-port.ts';
import { constants } from '../calls/darwin.ts';
import type { InterfaceCalls } from '../calls/interface-calls.ts';
import { CallFailed } from '../calls/libc.ts';
import type { UtunSocket } from '../calls/utun.ts';
import type { CurrentDevice } from './current-device.ts';
import type { NetworkMonitor } from './network-monitor.ts';
import type { TunnelRoutes } from './tunnel-routes.ts';

/**
 * A utun, which exists as long as a process has its descriptor: this one, so that it outlives an engine, and the
 * engine, for which a second one of the same socket is opened. The system chooses its name.
 */
export function createTunnelDevice(parts: {
  openSocket: () => UtunSocket;
  descriptors: { duplicate(descriptor: number): number; close(descriptor: number): void };
  interfaces: InterfaceCalls;
  routes: TunnelRoutes;
  current: CurrentDevice;
  monitor: NetworkMonitor;
  openEcho: (own: string) => number | undefined;
}): TunnelDevice {
  const { openSocket, descriptors, interfaces, routes, current, monitor, openEcho } = parts;
  /** Opened for an engine, or by `create`, whichever comes first. */
  let socket: UtunSocket | undefined;
  let isCreated = false;
  let configured: DeviceConfiguration | undefined;

  const find = () => interfaces.list().find(({ name }) => name === current.name);

  function create(): void {
    socket ??= openSocket();
    current.name = socket.makeDevice();
    interfaces.setUp(current.name);
  }

  async function configure({ mtu, addresses }: DeviceConfiguration): Promise<void> {
    const { name } = current;
    if (name === undefined) throw new SystemChangeFailed('there is no device to configure');
    interfaces.setMtu(name, mtu);
    const present = find();
    if (!present) throw new SystemChangeFailed(`the device ${name} is gone`);
    const missing = addresses.filter((address) => !hasAddress(present.addresses, address));
    for (const address of missing) interfaces.addAddress(name, address);
    const families = [...new Set(addresses.map((address) => (isIPv6(address) ? 6 : 4)))] as (4 | 6)[];
    await routes.lead({ index: present.index, families });
  }

  function open(): OpenedDevice {
    socket ??= openSocket();
    const descriptor = descriptors.duplicate(socket.descriptor);
    let isOpen = true;
    return {
      inherited: descriptor,
      attach() {
        if (current.name === undefined) throw new Error('there is no device yet');
      },
      close() {
        if (isOpen) descriptors.close(descriptor);
        isOpen = false;
      },
    };
  }

  return {
    get name() {
      return current.name ?? 'utun';
    },
    handle: {
      get name() {
        return current.name ?? 'utun';
      },
      packetHeader: 'family',
      open,
    },
    exists: () => current.name !== undefined && find() !== undefined,
    create: () =>
      Promise.resolve().then(() => {
        create();
        isCreated = true;
      }),
    async configure(given) {
      configured = given;
      await configure(given);
    },
    removeAddresses: (old) =>
      Promise.resolve().then(() => {
        const { name } = current;
        const kept = configured?.addresses ?? [];
        if (name === undefined) return;
        for (const address of old.filter((one) => !kept.includes(one))) removeAddress(name, address);
      }),
    async remove() {
      const { name } = current;
      isCreated = false;
      const addresses = configured?.addresses ?? [];
      configured = undefined;
      current.name = undefined;
      routes.deviceLost();
      // An engine that has not ended yet still has the device.
      if (name !== undefined) for (const address of addresses) removeAddress(name, address);
      if (socket) descriptors.close(socket.descriptor);
      socket = undefined;
      await Promise.resolve();
    },
    statistics() {
      const found = isCreated ? find() : undefined;
      return found && { sent: found.sent.bytes, received: found.received.bytes };
    },
    receivedPackets() {
      const found = isCreated ? find() : undefined;
      if (!found) return undefined;
      // The system does not count the versions of IP separately.
      const packets = found.received.packets - found.received.multicast;
      return { ipv4: packets, ipv6: packets };
    },
    openEcho,

    verify: () =>
      Promise.resolve().then(() => {
        if (!isCreated) return 'unset';
        const found = find();
        if (!found) routes.deviceLost();
        if (!found?.isUp) return 'changed';
        if (!configured) return 'in-force';
        const { mtu, addresses } = configured;
        const isWhole =
          found.mtu === mtu && addresses.every((address) => hasAddress(found.addresses, address));
        return isWhole && routes.verify() !== 'changed' ? 'in-force' : 'changed';
      }),
    async restore() {
      if (!isCreated) return;
      if (find() === undefined) {
        routes.deviceLost();
        if (socket) descriptors.close(socket.descriptor);
        socket = undefined;
        create();
      } else if (current.name !== undefined) interfaces.setUp(current.name);
      if (configured) await configure(configured);
    },
    watch: (onChange) => monitor.subscribe(onChange),
  };

  function removeAddress(name: string, address: string): void {
    try {
      interfaces.removeAddress(name, address);
    } catch (error) {
      // The device is gone, and everything of it.
      if (!(error instanceof CallFailed) || error.errno !== constants.ENXIO) throw error;
    }
  }
}

/** However it is written. */
const hasAddress = (present: readonly string[], address: string) =>
  present.some((one) => canonicalPrefix(one.replace(/\/\d+$/, '')) === canonicalPrefix(address));
