import type { Routing } from '#shared/tunnel/state.ts';
import { localExceptions } from './local-networks.ts';
import type { RoutingPlan } from './routing-plan.ts';

const everything = ['0.0.0.0/0', '::/0'];

/**
 * By destination: only what is listed goes through the tunnel, or all but that. Names are looked up at the tunnel's
 * resolvers, since what they answer depends on who asks.
 */
export const planIp = ({ policy, routeIps, ...local }: Extract<Routing, { mode: 'ip' }>): RoutingPlan => ({
  capture: {
    kind: 'prefixes',
    ...(policy === 'include'
      ? { include: routeIps, exclude: [] }
      : { include: everything, exclude: routeIps }),
    ...localExceptions(local),
  },
  resolvers: 'tunnel',
  proxy: undefined,
});
