/** Where the gateway is, outside the tunnel, or the proxy that leads to it. */
export interface GatewayEndpoint {
  address: string;
  port: number;
  /** Where the engine sends datagrams, once that is known. A gateway may name another port than that for TLS. */
  datagramPort?: number | undefined;
}
