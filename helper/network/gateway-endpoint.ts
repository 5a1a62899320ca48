/** Where the gateway is, outside the tunnel. */
export interface GatewayEndpoint {
  address: string;
  port: number;
}
