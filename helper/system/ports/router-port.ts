import type { Capture } from '../../modes/routing-plan.ts';
import type { GatewayEndpoint } from '../../network/gateway-endpoint.ts';
import type { NearbyNetworks } from '../../network/nearby-networks.ts';
import type { Guarded } from './guarded.ts';
import type { PortalRules } from './portal-port.ts';

export interface RoutingRules {
  capture: Capture;
  networks: NearbyNetworks;
  /** Absent if it is not known: then none can be reached. */
  gateway: GatewayEndpoint | undefined;
  /** The tunnel's own addresses, including those that are about to be removed. */
  tunnelAddresses: readonly string[];
  /** Resolvers that are asked through the tunnel, whatever is captured. */
  resolvers: readonly string[];
  /** The user whose group of programs may be captured or excepted. */
  owner: string | undefined;
}

/** Routes captured packets into the tunnel, and nowhere while there is none. */
export interface Router extends Guarded {
  /** A packet that is captured before and after the change matches a rule at every moment. */
  set(rules: RoutingRules): Promise<void>;
  /** Prepares what the next `set` needs, such as thousands of routes, as far as nothing leads there yet. */
  prepare(rules: RoutingRules): Promise<void>;
  /** Lets answers reach the portal's proxy, or no longer, in the same way as the filter; until `clear`. */
  setPortal(portal: Pick<PortalRules, 'resolvers'> | undefined): Promise<void>;
  /**
   * Refuses every packet that would leave the machine, even the engine's, until `set` or `clear`. Rejects on a system
   * whose routing cannot; then nothing of it counts as set any more.
   */
  refuseAll(): Promise<void>;
  clear(): Promise<void>;
  /**
   * Whether others' rules come before ours, so that what should go through the tunnel is led elsewhere. Absent where
   * that cannot be found out.
   */
  isOverruled?(): Promise<boolean>;
}
