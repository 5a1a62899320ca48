/**
 * The addresses and names of a self-test's own small internet. They are from the ranges for documentation and for
 * measurements (RFC 5737, RFC 2544, RFC 3849), the local network's from those that every home uses (RFC 1918, RFC
 * 4193).
 */
export interface AddressPair {
  readonly ipv4: string;
  readonly ipv6: string;
}

export const addresses = {
  /** The computer's own, on the local network and, of IPv6, on the internet. */
  user: { ipv4: '192.168.77.10', ipv6: '2001:db8:1::10' },
  userLocal6: 'fd57:4159:77::10',
  router: { ipv4: '192.168.77.1', ipv6: '2001:db8:1::1' },
  /** A device on the local network. */
  neighbour: { ipv4: '192.168.77.66', ipv6: 'fd57:4159:77::66' },
  gateway: { ipv4: '198.51.100.2', ipv6: '2001:db8:2::2' },
  service: { ipv4: '203.0.113.10', ipv6: '2001:db8:3::10' },
  /** A resolver that anybody can ask. */
  resolver: { ipv4: '203.0.113.53', ipv6: '2001:db8:3::53' },
  /** Two hosts of the internet, one of which is routed otherwise in some modes. */
  host: { ipv4: '203.0.113.80', ipv6: '2001:db8:3::80' },
  other: { ipv4: '203.0.113.81', ipv6: '2001:db8:3::81' },
  /** Behind the gateway: its end of the tunnel, the computer's, and its resolver. */
  tunnelEnd: { ipv4: '198.18.0.1', ipv6: '2001:db8:18::1' },
  tunnel: { ipv4: '198.18.0.10', ipv6: '2001:db8:18::10' },
  tunnelResolver: { ipv4: '198.18.0.53', ipv6: '2001:db8:18::53' },
} as const;

/** Under the reserved top-level domain `test` (RFC 6761). */
export const names = {
  gateway: 'gateway.self-test.test',
  service: 'service.self-test.test',
  /** Where a name leads to says which resolver was asked. Automatic routing sends it to the proxy. */
  where: 'where.self-test.test',
  /** Every name below this one exists. */
  probes: 'probe.self-test.test',
} as const;

export const ports = { gateway: 443, http: 80, echo: 7, dns: 53, dnsOverTls: 853 } as const;

/** What answers: the internet that is seen without a tunnel, or the one behind the gateway. */
export type Place = 'outside' | 'inside';
