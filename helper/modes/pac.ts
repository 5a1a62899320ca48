import type { Routing } from '#shared/tunnel/state.ts';
import type { RoutingPlan } from './routing-plan.ts';

/** What programs send to a proxy on this machine goes through the tunnel, and everything else goes out as before. */
export const planPac = ({
  routeDomains,
  blockedDomains,
  directDomains = [],
}: Extract<Routing, { mode: 'pac' }>): RoutingPlan => ({
  capture: { kind: 'proxy' },
  resolvers: 'unchanged',
  proxy: { routeDomains, blockedDomains, directDomains },
});
