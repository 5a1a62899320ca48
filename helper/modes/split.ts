import { canonicalPrefix } from '#shared/tunnel/prefix.ts';
import { maxNamedNetworks, type ActiveRouting } from '#shared/tunnel/state.ts';
import { readPrefixList } from '../network/prefix-list.ts';
import type { RoutingPlan } from './routing-plan.ts';

/** The networks that a server has named, without those that stay outside, as prefixes. */
export interface NamedPrefixes {
  include: string[];
  exclude: string[];
}

/**
 * Mode global at a server that has named its own networks: these go through the tunnel, and everything else goes out as
 * before.
 */
export const planSplit = ({ include, exclude }: NamedPrefixes): RoutingPlan => ({
  // Attached networks have already been removed from them.
  capture: {
    kind: 'prefixes',
    include: readPrefixList(include),
    exclude: readPrefixList(exclude),
    exceptLocalNetworks: false,
  },
  resolvers: 'captured',
  proxy: undefined,
});

/** The same, for users. */
export function namedNetworks({ include, exclude }: NamedPrefixes): ActiveRouting {
  const first = (prefixes: readonly string[]) =>
    prefixes.slice(0, maxNamedNetworks).flatMap((prefix) => canonicalPrefix(prefix) ?? []);
  return {
    mode: 'split',
    networks: include.length,
    prefixes: first(include),
    ...(exclude.length > 0 && { exceptions: { networks: exclude.length, prefixes: first(exclude) } }),
  };
}
