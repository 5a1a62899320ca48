import { isInsidePrefix } from '#shared/tunnel/prefix.ts';
import type { Uplink } from '../../system/ports/uplink-port.ts';
import type { IpHelper, Luid, Route } from '../calls/ip-helper.ts';
import { bestRoutePast } from './best-route.ts';
import type { NetworkMonitor } from './network-monitor.ts';

/** How many networks of each kind are considered: a neighbour may advertise any number of them. */
const maxNetworks = 32;

/**
 * What a link's network can be: private addresses (RFC 1918, RFC 6598, RFC 3927, RFC 4193) and link-local ones (RFC 4291
 * §2.5.6). Otherwise, anybody who answers DHCP or advertises a route could declare any network local, or all of them.
 */
const privateNetworks = [
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '100.64.0.0/10',
  '169.254.0.0/16',
  'fc00::/7',
  'fe80::/10',
] as const;

/** Multicast and broadcast, which every interface has. */
const nobodysNetworks = ['224.0.0.0/4', '255.255.255.255/32', 'ff00::/8', '127.0.0.0/8', '::1/128'] as const;

/** Anything wider is a default route in pieces, whoever owns it; and no public network on one link is wider. */
const shortest = { 4: 8, 6: 16 } as const;
const shortestPublic = { 4: 16, 6: 48 } as const;

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
        lengthOf(route.prefix) >= shortest[familyOf(route.prefix)] &&
        // The machine's own address and the broadcast address are routes, too.
        lengthOf(route.prefix) < hostLength[familyOf(route.prefix)] &&
        !nobodysNetworks.some((network) => isInsidePrefix(route.prefix, network)),
    );
  }

  const isPrivate = ({ prefix }: Route) => privateNetworks.some((network) => isInsidePrefix(prefix, network));
  const prefixesOf = (routes: readonly Route[]) =>
    [...new Set(routes.map(({ prefix }) => prefix))].slice(0, maxNetworks);

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
        .map(({ address, prefixLength }) => {
          const family = familyOf(address);
          // A lease may claim that half the internet is attached; then the machine has the address, but no network.
          const length = prefixLength < shortest[family] ? hostLength[family] : prefixLength;
          return `${address}/${Math.min(length, hostLength[family])}`;
        });
    },
    async nearbyNetworks() {
      const attached = attachedRoutes();
      return {
        local: prefixesOf(attached.filter(isPrivate)),
        attachedPublic: prefixesOf(attached.filter((route) => !isPrivate(route))),
        onLink: prefixesOf(
          attached.filter(
            (route) => isPrivate(route) || lengthOf(route.prefix) >= shortestPublic[familyOf(route.prefix)],
          ),
        ),
        // Those of Hyper-V and WSL do not pass this machine's filter (docs/promises.md).
        internal: { devices: [], prefixes: [], unused: [] },
        bridges: [],
      };
    },
    async routeTo(address) {
      const table = { routes: ipHelper.routes(), ipInterfaces: ipHelper.ipInterfaces() };
      const best = bestRoutePast(tunnel(), table, address);
      if (!best) return undefined;
      const own = ipHelper
        .addresses()
        .filter((one) => one.luid === best.luid && familyOf(one.address) === familyOf(address))
        .map((one) => one.address)
        .toSorted();
      return [best.nextHop ?? 'direct', best.luid, ...own].join(' ');
    },
    watch: (onChange) => monitor.subscribe(onChange),
  };
}

const hostLength = { 4: 32, 6: 128 } as const;
const familyOf = (text: string): 4 | 6 => (text.includes(':') ? 6 : 4);
const lengthOf = (prefix: string): number => Number(prefix.slice(prefix.indexOf('/') + 1));
