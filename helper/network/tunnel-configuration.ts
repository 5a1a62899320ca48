/** What the gateway assigned to this end of the tunnel. */
export interface TunnelConfiguration {
  /** At least one of the two. */
  addresses: { ipv4?: string; ipv6?: string };
  /** The largest packet that the tunnel carries, in bytes. */
  mtu: number;
  dns: { servers: string[]; searchDomains: string[] };
  /** Only if they were requested, and are valid. */
  pushedRoutes?: PushedRoutes;
}

/** Prefixes that a gateway wants inside the tunnel, and exceptions from them. No include means everything. */
export interface PushedRoutes {
  includes: string[];
  excludes: string[];
}

/** The maximum number of routes of each kind and IP version. */
export const maxPushedRoutes = 2_000;

export type Addresses = TunnelConfiguration['addresses'];

export const addressList = ({ ipv4, ipv6 }: Addresses): string[] =>
  [ipv4, ipv6].filter((address) => address !== undefined);
