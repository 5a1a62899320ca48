import { isIPv6 } from 'node:net';
import type { NearbyNetworks } from '../../network/nearby-networks.ts';
import { attachedPrefix, sortNetworks, type DeviceRoute } from '../../network/sort-networks.ts';
import type { Uplink } from '../../system/ports/uplink-port.ts';
import type { InterfaceCalls, NetworkInterface } from '../calls/interface-calls.ts';
import type { RouteCalls } from '../calls/routing-socket.ts';
import type { CurrentDevice } from './current-device.ts';
import type { NetworkMonitor } from './network-monitor.ts';
import { outsideWay } from './outside-way.ts';

/**
 * Devices that only lead to virtual machines and containers of this machine: the bridges and ends of Apple's
 * Virtualization framework (bridge100 and up, vmenet) and of VMware (vmnet). A bridge with a lower number may have a
 * network card in it.
 */
const internalDevice = /^(?:bridge[1-9]\d\d|vmenet\d+|vmnet\d+)$/;

/** The machine's network outside the tunnel, by its interfaces and its routing table. */
export function createUplink(parts: {
  interfaces: InterfaceCalls;
  routes: RouteCalls;
  current: CurrentDevice;
  monitor: NetworkMonitor;
}): Uplink {
  const { interfaces, routes, current, monitor } = parts;
  const others = () =>
    interfaces.list().filter(({ name, isLoopback, isUp }) => isUp && !isLoopback && name !== current.name);

  function nearbyNetworks(): NearbyNetworks {
    const found = others();
    const names = new Map(found.map(({ index, name }) => [index, name]));
    const attached = routes.table().flatMap((route) => {
      const device = names.get(route.interface);
      const isAttached = !route.isOurs && route.way.kind === 'interface' && route.scope === undefined;
      return device !== undefined && isAttached ? deviceRouteOf(route.prefix, device) : [];
    });
    const sorted = sortNetworks(attached, {
      isInternal: (device) => internalDevice.test(device),
      // Such a bridge is made for the first guest, and removed with the last.
      isUnused: () => false,
    });
    const devices = found.map(({ name }) => name).filter((name) => internalDevice.test(name));
    return { ...sorted, internal: { ...sorted.internal, devices }, bridges: [] };
  }

  return {
    // No supported version can be without it.
    hasIpv6: () => true,
    watch: (onChange) => monitor.subscribe(onChange),
    attachedNetworks: () => Promise.resolve().then(() => others().flatMap(attachedTo)),
    nearbyNetworks: () => Promise.resolve().then(nearbyNetworks),

    /** Router or interface. */
    routeTo: (address) =>
      Promise.resolve().then(() => {
        const tunnel = interfaces.list().find(({ name }) => name === current.name);
        const route = outsideWay(routes.table(), address, tunnel?.index);
        if (!route) return undefined;
        const router = route.way.kind === 'router' ? route.way.address : 'direct';
        return `${router} ${route.interface}`;
      }),
  };
}

const attachedTo = ({ addresses }: NetworkInterface) =>
  addresses.map((address) => {
    const [own = '', length] = address.split('/');
    return attachedPrefix(own, Number(length));
  });

/** Multicast, and single hosts that the system lists besides, are no networks. */
function deviceRouteOf(prefix: string, device: string): DeviceRoute[] {
  const [address = '', length = ''] = prefix.split('/');
  const family = isIPv6(address) ? 'ipv6' : 'ipv4';
  const isMulticast = family === 'ipv6' ? address.startsWith('ff') : /^(?:22[4-9]|23\d|255)\./.test(address);
  const isHost = Number(length) === (family === 'ipv6' ? 128 : 32);
  if (isMulticast || isHost || Number(length) === 0) return [];
  return [{ device, family, address, length: Number(length), hasGateway: false, isAdvertised: false }];
}
