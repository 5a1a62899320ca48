import type { Capture } from '../../modes/routing-plan.ts';
import type { GatewayEndpoint } from '../../network/gateway-endpoint.ts';
import type { NearbyNetworks } from '../../network/nearby-networks.ts';
import type { Guarded } from './guarded.ts';
import type { PortalRules } from './portal-port.ts';

export interface FilterRules {
  /** All of these apply at once, which is needed while one routing mode replaces another. */
  captures: readonly Capture[];
  gateway: GatewayEndpoint | undefined;
  /** The most that TCP to and from the gateway has in a packet, in bytes; undefined: what both ends agree on. */
  maxSegment: number | undefined;
  /** If empty, no packet passes through the tunnel. */
  tunnelAddresses: readonly string[];
  /**
   * From these nothing leaves, and nothing is refused either: connections from them wait for the tunnel to come back.
   */
  awaitedAddresses: readonly string[];
  /** Whether what nobody here has asked for may come in through the tunnel. */
  allowIncoming: boolean;
  networks: NearbyNetworks;
  /** Resolvers that are only asked through the tunnel, whatever is captured. */
  resolvers: readonly string[];
  /** Absent if no proxy listens. */
  proxyPort: number | undefined;
  /** The user who may use the proxy, and whose group of programs may be captured or excepted. */
  owner: string | undefined;
  /**
   * Where that group's look-ups go, whatever its programs ask; if empty, they fail. Undefined: they are not redirected.
   */
  groupResolvers: readonly string[] | undefined;
  /**
   * Whether it has to be in force from the machine's start on, before there is a helper, until it is cleared. A system
   * that starts the helper before its network may ignore that, and one whose filter outlasts a reboot may not.
   */
  fromStartOn: boolean;
}

export interface SetOptions {
  /** What is captured is held back while the rules are prepared, even if the earlier ones let it pass. */
  atOnce?: boolean;
}

/** Refuses captured packets outside the tunnel. */
export interface PacketFilter extends Guarded {
  /** Replaces the whole set of rules atomically; until then, the earlier rules stay in force. */
  set(rules: FilterRules, options?: SetOptions): Promise<void>;
  /**
   * Lets the portal's proxy out as well, or no longer, including the rules of each later `set`, until `clear`. When the
   * time is over, the system closes it, whatever has happened to the helper. Throws if no rules are in force.
   */
  setPortal(portal: PortalRules | undefined): Promise<void>;
  clear(): Promise<void>;
}
