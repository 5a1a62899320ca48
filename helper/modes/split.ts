import type { RoutingPlan } from './routing-plan.ts';

/** Prefixes that belong in the tunnel, and exceptions inside them. */
export interface CapturedPrefixes {
  include: string[];
  exclude: string[];
}

/**
 * Mode global at a server that has named its own networks: these go through the tunnel, and everything else goes out as
 * before.
 */
export const planSplit = (prefixes: CapturedPrefixes): RoutingPlan => ({
  // Attached networks have already been removed from them.
  capture: { kind: 'prefixes', ...prefixes, exceptLocalNetworks: false },
  resolvers: 'captured',
  proxy: undefined,
});
