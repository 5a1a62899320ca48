import type { RoutingPlan } from './routing-plan.ts';

/** Prefixes that belong in the tunnel, and what is inside of those and does not. */
export interface CapturedPrefixes {
  include: string[];
  exclude: string[];
}

/** Global at a server that has named its own networks: they go through the tunnel, and the rest as ever. */
export const planSplit = (prefixes: CapturedPrefixes): RoutingPlan => ({
  // Attached networks are left out of them already.
  capture: { kind: 'prefixes', ...prefixes, exceptLocalNetworks: false },
  resolvers: 'captured',
  proxy: undefined,
});
