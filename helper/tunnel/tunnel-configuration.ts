/** What the gateway assigned to this end of the tunnel. */
export interface TunnelConfiguration {
  /** At least one of the two. */
  addresses: { ipv4?: string; ipv6?: string };
  /** Largest packet that the tunnel carries, in bytes. */
  mtu: number;
  dns: { servers: string[]; searchDomains: string[] };
}
