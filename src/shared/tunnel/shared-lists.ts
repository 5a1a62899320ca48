import * as z from 'zod/mini';
import { enclosingDomains } from './domain-name.ts';
import { canonicalDomainLists, maxDomains } from './route-config.ts';
import { maxRoutedPrefixes, routedPrefixes, type Routing } from './state.ts';

/**
 * The service's lists, which are the same for everybody and have several megabytes. They are separate from the user's
 * choices, so that they need not be sent again with every choice.
 */
export const sharedLists = z.discriminatedUnion('mode', [
  z.strictObject({ mode: z.literal('pac'), ...canonicalDomainLists }),
  z.strictObject({ mode: z.literal('ip'), routeIps: routedPrefixes }),
]);
export type SharedLists = z.infer<typeof sharedLists>;

/** How a tunnel should route: the user's choices, and the lists that they refer to. */
export interface WantedRouting {
  routing: Routing;
  lists?: SharedLists;
}

/**
 * Combines a routing that has only the user's choices with the lists. Undefined if the lists are for another mode, or
 * if both together are empty or larger than a routing may be.
 */
export function withSharedLists(own: Routing, lists: SharedLists): Routing | undefined {
  if (own.mode === 'pac' && lists.mode === 'pac') {
    const routing = withDomains(own, lists);
    const isTooLong = Math.max(routing.routeDomains.length, routing.blockedDomains.length) > maxDomains;
    return isTooLong ? undefined : routing;
  }
  if (own.mode !== 'ip' || lists.mode !== 'ip') return undefined;
  const routeIps = [...new Set([...lists.routeIps, ...own.routeIps])];
  if (routeIps.length === 0 || routeIps.length > maxRoutedPrefixes) return undefined;
  return { ...own, routeIps };
}

type Domains = Extract<Routing, { mode: 'pac' }>;

/** The user's own names take precedence: entries of the lists for the same names are left out. */
function withDomains(own: Domains, lists: Extract<SharedLists, { mode: 'pac' }>): Domains {
  const { routeDomains: through, blockedDomains, directDomains: direct = [] } = own;
  if (through.length === 0 && direct.length === 0 && blockedDomains.length === 0) return { ...own, ...lists };
  const [added, taken] = [new Set(through), new Set(direct)];
  const stays = (name: string) => {
    // What is blocked below an added name stays blocked.
    if (added.has(name)) return false;
    for (const domain of enclosingDomains(name)) if (taken.has(domain)) return false;
    return true;
  };
  return {
    ...own,
    routeDomains: [...lists.routeDomains.filter(stays), ...through],
    blockedDomains: [...lists.blockedDomains.filter(stays), ...blockedDomains],
  };
}
