import type { Routing } from '#shared/tunnel/state.ts';
import { localExceptions } from './local-exceptions.ts';
import type { RoutingPlan } from './routing-plan.ts';

/**
 * By program: only the owner's group goes through the tunnel, or everything else. `groupResolvers` says where the
 * group's look-ups go.
 */
export const planApp = ({ policy, ...local }: Extract<Routing, { mode: 'app' }>): RoutingPlan =>
  policy === 'include'
    ? {
        capture: { kind: 'group', ...localExceptions(local) },
        resolvers: 'unchanged',
        proxy: undefined,
      }
    : {
        capture: { kind: 'everything', ...localExceptions(local), exceptGroup: true },
        resolvers: 'tunnel',
        proxy: undefined,
      };
