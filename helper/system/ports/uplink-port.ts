import type { NearbyNetworks } from '../../network/nearby-networks.ts';

/** The machine's network outside the tunnel. */
export interface Uplink {
  hasIpv6(): boolean;
  /** Prefixes in which this machine has addresses. */
  attachedNetworks(): Promise<string[]>;
  nearbyNetworks(): Promise<NearbyNetworks>;
  /** The route of the engine's packets to an address, as a text for comparison only; undefined if there is none. */
  routeTo(address: string): Promise<string | undefined>;
  watch(onChange: () => void): () => void;
}
