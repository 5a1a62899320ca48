import { readPrefixList } from '../network/prefix-list.ts';
import { localExceptions } from './local-exceptions.ts';
import type { ReadRouting } from './read-routing.ts';
import type { RoutingPlan } from './routing-plan.ts';

const everything = readPrefixList(['0.0.0.0/0', '::/0']);
const nothing = readPrefixList([]);

/**
 * By destination: only listed destinations go through the tunnel, or all others. Look-ups go to the tunnel's resolvers,
 * because answers depend on who asks.
 */
export const planIp = ({
  policy,
  routeIps,
  ...local
}: Extract<ReadRouting, { mode: 'ip' }>): RoutingPlan => ({
  capture: {
    kind: 'prefixes',
    ...(policy === 'include'
      ? { include: routeIps, exclude: nothing }
      : { include: everything, exclude: routeIps }),
    ...localExceptions(local),
  },
  resolvers: 'tunnel',
  proxy: undefined,
});
