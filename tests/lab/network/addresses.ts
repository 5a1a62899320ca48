/**
 * The laboratory's addresses and names. IPv4 from the documentation ranges of RFC 5737, IPv6 from RFC 3849,
 * so that nothing here can be mistaken for, or leak to, a real host.
 */

export interface AddressPair {
  readonly ipv4: string;
  readonly ipv6: string;
}

export const addresses = {
  user: { ipv4: '192.0.2.10', ipv6: '2001:db8:1::10' },
  /** The user's machine's additional addresses on the same link: a private network, as at home (RFC 1918, RFC 4193). */
  userPrivate: { ipv4: '192.168.37.10', ipv6: 'fd57:4159:1::10' },
  /** Another machine on that private network; answers HTTP. */
  neighbour: { ipv4: '192.168.37.66', ipv6: 'fd57:4159:1::66' },
  /** The user's default router; it also answers HTTP, as a host on an attached public network. */
  router: { ipv4: '192.0.2.1', ipv6: '2001:db8:1::1' },
  gateway: { ipv4: '198.51.100.2', ipv6: '2001:db8:2::2' },
  /** A second gateway, whose certificate comes from an unknown authority. */
  untrustedGateway: { ipv4: '198.51.100.3', ipv6: '2001:db8:2::3' },
  /** The gateway's router to the internet. */
  gatewayRouter: { ipv4: '198.51.100.1', ipv6: '2001:db8:2::1' },
  /** A network of containers inside the user's machine, like Docker's: the machine's own end, and a container. */
  bridge: { ipv4: '172.17.0.1', ipv6: 'fd57:4159:17::1' },
  container: { ipv4: '172.17.0.2', ipv6: 'fd57:4159:17::2' },
  /** Behind the gateway, only reachable through the tunnel: the VPN's resolver and another echo service. */
  inside: { ipv4: '198.51.100.65', ipv6: '2001:db8:2:1::65' },
  resolver: { ipv4: '203.0.113.53', ipv6: '2001:db8:3::53' },
  service: { ipv4: '203.0.113.10', ipv6: '2001:db8:3::10' },
  echo: { ipv4: '203.0.113.80', ipv6: '2001:db8:3::80' },
  /** A second echo service, for routing modes that send one destination through the tunnel and the other directly. */
  direct: { ipv4: '203.0.113.81', ipv6: '2001:db8:3::81' },
} as const satisfies Record<string, AddressPair>;

/** Names under the reserved top-level domain `test` (RFC 6761). */
export const names = {
  gateway: 'gw.waymaker.test',
  untrustedGateway: 'untrusted.waymaker.test',
  service: 'service.waymaker.test',
  echo: 'echo.waymaker.test',
  direct: 'direct.waymaker.test',
  /** Resolves to `direct` at the public resolver and to `inside` at the VPN's. */
  where: 'where.waymaker.test',
  /** Only known to the VPN's resolver. */
  inside: 'inside.waymaker.test',
  /** Every name below this one exists, so that probes can use a different name for each query. */
  probes: 'probe.waymaker.test',
} as const;

export const ports = { gateway: 443, http: 80, echo: 7, discard: 9, dns: 53 } as const;

/** An address pool of the gateway. */
export interface Pool {
  readonly ipv4: string;
  readonly netmask: string;
  readonly ipv6: string;
  /** The IPv4 pool in prefix notation. */
  readonly ipv4Prefix: string;
}

export const pools = {
  first: {
    ipv4: '198.51.100.128',
    netmask: '255.255.255.192',
    ipv6: '2001:db8:2:100::/64',
    ipv4Prefix: '198.51.100.128/26',
  },
  second: {
    ipv4: '198.51.100.192',
    netmask: '255.255.255.192',
    ipv6: '2001:db8:2:200::/64',
    ipv4Prefix: '198.51.100.192/26',
  },
  untrusted: {
    ipv4: '198.51.100.96',
    netmask: '255.255.255.224',
    ipv6: '2001:db8:2:300::/64',
    ipv4Prefix: '198.51.100.96/27',
  },
} as const satisfies Record<string, Pool>;

/**
 * A multicast group that every node ignores unless it has joined, so that nobody answers packets to it: they show
 * captures how far they are.
 */
export const sentinelGroup = '224.0.0.251';
