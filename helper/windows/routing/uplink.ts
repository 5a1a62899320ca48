import { isIPv6 } from 'node:net';
import { canonicalPrefix, isInsidePrefix } from '#shared/tunnel/prefix.ts';
import { attachedPrefix, sortNetworks, type DeviceRoute } from '../../network/sort-networks.ts';
import type { Uplink } from '../../system/ports/uplink-port.ts';
import type { IpHelper, Luid, Route, UnicastAddress } from '../calls/ip-helper.ts';
import { bestRoutePast } from './best-route.ts';
import type { NetworkMonitor } from './network-monitor.ts';

/** Multicast and broadcast, which every interface has. */
const nobodysNetworks = ['224.0.0.0/4', '255.255.255.255/32', 'ff00::/8', '127.0.0.0/8', '::1/128'] as const;

/** The machine's network outside the tunnel. `hasIpv6`: whether the tunnel can have an address of IPv6. */
export function createUplink(parts: {
  ipHelper: IpHelper;
  tunnel: () => Luid | undefined;
  monitor: NetworkMonitor;
}): Uplink {
  const { ipHelper, tunnel, monitor } = parts;

  function outside(): { isOutside: (one: { luid: Luid }) => boolean } {
    const inside = new Set(
      ipHelper
        .interfaces()
        .filter(({ isUp, isLoopback }) => isLoopback || !isUp)
        .map(({ luid }) => luid),
    );
    return { isOutside: ({ luid }) => luid !== tunnel() && !inside.has(luid) };
  }

  /** On the link, as the routing table says; routers may be the ones who have said it. */
  function attachedRoutes(): Route[] {
    const { isOutside } = outside();
    return ipHelper.routes().filter(
      (route) =>
        route.nextHop === undefined &&
        isOutside(route) &&
        // The machine's own address and the broadcast address are routes, too.
        lengthOf(route.prefix) < hostLength[familyOf(route.prefix)] &&
        !nobodysNetworks.some((network) => isInsidePrefix(route.prefix, network)),
    );
  }

  return {
    hasIpv6() {
      const luid = tunnel();
      return (
        luid !== undefined && ipHelper.ipInterfaces().some((one) => one.luid === luid && one.family === 6)
      );
    },
    async attachedNetworks() {
      const { isOutside } = outside();
      return ipHelper
        .addresses()
        .filter(isOutside)
        .map(({ address, prefixLength }) => attachedPrefix(address, prefixLength));
    },
    async nearbyNetworks() {
      const sorted = sortNetworks(attachedRoutes().map(deviceRouteOf), {
        // Those of Hyper-V and WSL do not pass this machine's filter (docs/promises.md).
        isInternal: () => false,
        isUnused: () => false,
      });
      return { ...sorted, internal: { ...sorted.internal, devices: [] }, bridges: [] };
    },
    async routeTo(address) {
      const table = { routes: ipHelper.routes(), ipInterfaces: ipHelper.ipInterfaces() };
      const best = bestRoutePast(tunnel(), table, address);
      if (!best) return undefined;
      // Of IPv6, the network: within it, Windows takes a new address each day, beside the one that is in use (RFC
      // 8981).
      const own = ipHelper
        .addresses()
        .filter((one) => one.luid === best.luid && familyOf(one.address) === familyOf(address))
        .map((one) => (familyOf(one.address) === 4 ? one.address : networkOf(one)));
      return [best.nextHop ?? 'direct', best.luid, ...new Set(own.toSorted())].join(' ');
    },
    watch: (onChange) => monitor.subscribe(onChange),
  };
}

/** Bits of the network in an address that a computer makes itself (RFC 4291 §2.5.4). */
const networkBits = 64;

/** Windows has its temporary addresses with a length of 128 bits, whatever that of their network is. */
const networkOf = ({ address, prefixLength }: UnicastAddress): string =>
  canonicalPrefix(attachedPrefix(address, Math.min(prefixLength, networkBits))) ?? address;

const deviceRouteOf = ({ luid, prefix }: Route): DeviceRoute => {
  const [address = '', length] = prefix.split('/');
  const family = isIPv6(address) ? 'ipv6' : 'ipv4';
  return {
    device: String(luid),
    family,
    address,
    length: Number(length),
    hasGateway: false,
    isAdvertised: false,
  };
};

const hostLength = { 4: 32, 6: 128 } as const;
const familyOf = (text: string): 4 | 6 => (text.includes(':') ? 6 : 4);
const lengthOf = (prefix: string): number => Number(prefix.slice(prefix.indexOf('/') + 1));
