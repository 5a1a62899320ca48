/** What the gateway assigned to this end of the tunnel. */
export interface TunnelConfiguration {
  /** At least one of the two. */
  addresses: { ipv4?: string; ipv6?: string };
  /** Largest packet that the tunnel carries, in bytes. */
  mtu: number;
  dns: { servers: string[]; searchDomains: string[] };
  /** Only if they were asked for, and could be read. */
  pushedRoutes?: PushedRoutes;
}

/** Prefixes that a gateway wants inside the tunnel, and of those the ones that it does not. No include means all. */
export interface PushedRoutes {
  includes: string[];
  excludes: string[];
}

/** How many routes of each kind and IP version are taken. */
export const maxPushedRoutes = 2_000;
