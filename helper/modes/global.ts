import type { Routing } from '#shared/tunnel/state.ts';
import { localExceptions } from './local-exceptions.ts';
import type { RoutingPlan } from './routing-plan.ts';

/** All traffic goes through the tunnel, except for local networks if the user wants that. */
export const planGlobal = (routing: Extract<Routing, { mode: 'global' }>): RoutingPlan => ({
  capture: { kind: 'everything', ...localExceptions(routing) },
  resolvers: 'tunnel',
  proxy: undefined,
});
