import type { Routing } from '#shared/tunnel/state.ts';
import { localExceptions } from './local-networks.ts';
import type { RoutingPlan } from './routing-plan.ts';

/** All traffic goes through the tunnel, local networks apart if the user wants that. */
export const planGlobal = (routing: Extract<Routing, { mode: 'global' }>): RoutingPlan => ({
  capture: { kind: 'everything', ...localExceptions(routing) },
  resolvers: 'tunnel',
  proxy: undefined,
});
