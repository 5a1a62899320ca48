import * as z from 'zod/mini';
import { enclosingDomains } from './domain-name.ts';
import { canonicalDomainLists, maxDomains } from './route-config.ts';
import { maxRoutedPrefixes, routedPrefixes, type Routing } from './state.ts';

/**
 * What a service lists for everybody, some megabytes: apart from what a user has chosen beside it, so that it need not
 * be sent again with every choice.
 */
export const sharedLists = z.discriminatedUnion('mode', [
  z.strictObject({ mode: z.literal('pac'), ...canonicalDomainLists }),
  z.strictObject({ mode: z.literal('ip'), routeIps: routedPrefixes }),
]);
export type SharedLists = z.infer<typeof sharedLists>;

/** How a tunnel is to route: by what the user has chosen, and by lists beside that. */
export interface WantedRouting {
  routing: Routing;
  lists?: SharedLists;
}

/**
 * A routing that has only what the user has chosen, with the lists beside it. Undefined if they are lists of another
 * mode, or there is more in both together than a routing may have, or nothing at all.
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

/** In favour of the user's own names, whatever the lists say of the same name is left out. */
function withDomains(own: Domains, lists: Extract<SharedLists, { mode: 'pac' }>): Domains {
  const { routeDomains: through, blockedDomains, directDomains: direct = [] } = own;
  if (through.length === 0 && direct.length === 0 && blockedDomains.length === 0) return { ...own, ...lists };
  const [added, taken] = [new Set(through), new Set(direct)];
  const stays = (name: string) => {
    // What is blocked below a name that was added still is.
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
