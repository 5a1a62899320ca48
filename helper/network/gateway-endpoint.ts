/** Where the gateway is, outside the tunnel, or the proxy that leads to it. */
export interface GatewayEndpoint {
  address: string;
  /** Where it may be, too: the engine reaches it there just as well. */
  otherAddresses?: readonly string[] | undefined;
  port: number;
  /** Whether it is the proxy: then whoever else reached it would get out past the tunnel, wherever they are going. */
  isProxy?: boolean | undefined;
  /** Where the engine sends datagrams, once that is known. A gateway may name another port than that for TLS. */
  datagramPort?: number | undefined;
}

/** In the same order, whichever is in use: rules that contain them stay the same when another one is. */
export const addressesOf = ({
  address,
  otherAddresses = [],
}: Pick<GatewayEndpoint, 'address' | 'otherAddresses'>): string[] =>
  [...new Set([address, ...otherAddresses])].toSorted();
