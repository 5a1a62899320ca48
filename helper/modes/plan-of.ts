import type { Routing } from '#shared/tunnel/state.ts';
import { planApp } from './app.ts';
import { planGlobal } from './global.ts';
import { planIp } from './ip.ts';
import { planPac } from './pac.ts';
import type { ReadRouting } from './read-routing.ts';
import type { RoutingPlan } from './routing-plan.ts';
import { planSplit, type NamedPrefixes } from './split.ts';

/** The modes that systems have, as the helper announces them to its clients; `pac` only where there is a proxy. */
export const routingModes = ['global', 'pac', 'ip'] as const satisfies readonly Routing['mode'][];

/** `split`: the only networks that a server wants in the tunnel in mode global. */
export function planOf(routing: ReadRouting, split?: NamedPrefixes): RoutingPlan {
  switch (routing.mode) {
    case 'global':
      return split ? planSplit(split) : planGlobal(routing);
    case 'pac':
      return planPac(routing);
    case 'ip':
      return planIp(routing);
    case 'app':
      return planApp(routing);
    default:
      return routing satisfies never;
  }
}
