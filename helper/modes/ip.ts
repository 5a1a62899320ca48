import type { Routing } from '#shared/tunnel/state.ts';
import { localExceptions } from './local-networks.ts';
import type { RoutingPlan } from './routing-plan.ts';

const everything = ['0.0.0.0/0', '::/0'];

/**
 * By destination: only listed destinations go through the tunnel, or all others. Look-ups go to the tunnel's resolvers,
 * because answers depend on who asks.
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
