/** Connections of programs that were opened through the tunnel. */
export interface TunnelConnections {
  /** Ends those from these addresses, or from all addresses of the device. Never rejects. */
  end(addresses?: readonly string[]): Promise<void>;
}
