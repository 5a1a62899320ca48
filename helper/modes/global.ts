import type { Routing } from '#shared/tunnel/state.ts';
import type { RoutingPlan } from './routing-plan.ts';

/** All traffic goes through the tunnel, local networks apart if the user wants that. */
export const planGlobal = ({ localNetwork }: Extract<Routing, { mode: 'global' }>): RoutingPlan => ({
  capture: { kind: 'everything', exceptLocalNetworks: localNetwork },
  resolvers: 'tunnel',
  proxy: undefined,
});
