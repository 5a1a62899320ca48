import type { Routing } from '#shared/tunnel/state.ts';

/** Mode ip, as tests ask for it. */
export type AddressRouting = Extract<Routing, { mode: 'ip' }>;

/** Only these prefixes go through the tunnel. */
export const include = (routeIps: readonly string[]): AddressRouting => ({
  mode: 'ip',
  policy: 'include',
  routeIps: [...routeIps],
  localNetwork: false,
});

/** All but these prefixes go through the tunnel. */
export const exclude = (routeIps: readonly string[]): AddressRouting => ({
  ...include(routeIps),
  policy: 'exclude',
});

/** The prefixes of a host's two addresses alone. */
export const hostPrefixes = ({ ipv4, ipv6 }: { ipv4: string; ipv6: string }): string[] => [
  `${ipv4}/32`,
  `${ipv6}/128`,
];
