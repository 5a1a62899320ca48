import { enclosingDomains, listedDomain } from '#shared/tunnel/domain-name.ts';
import { isBlocked, readDomains } from '#shared/tunnel/domain-set.ts';
import type { ProxyConfiguration, ProxyLists } from './proxy-messages.ts';
import { createNameResolution, type ResolveName } from './resolve-name.ts';

/** How a configuration applies to a new connection. */
export interface Policy {
  families: ProxyConfiguration['families'];
  sources: ProxyConfiguration['sources'];
  /** How long a packet through the tunnel and back takes, at least, in milliseconds. */
  roundTripMs: number;
  isBlocked(name: string): boolean;
  resolve: ResolveName;
}

export const createPolicy = (
  given: Pick<ProxyConfiguration, 'families' | 'resolvers' | 'roundTripMs' | 'sources'>,
  isNameBlocked: Policy['isBlocked'],
): Policy => ({
  families: given.families,
  sources: given.sources,
  roundTripMs: given.roundTripMs ?? 0,
  isBlocked: isNameBlocked,
  resolve: createNameResolution(given),
});

/** Whether these lists block a canonical name. */
export function createBlocking({ blockedDomains, routeDomains }: ProxyLists): Policy['isBlocked'] {
  const blocked = readDomains(blockedDomains);
  const lists = { blocked, routed: exceptionsOf(blocked, routeDomains) };
  return (name) => isBlocked(name, lists);
}

/** Of a hundred thousand routed domains, only those below a blocked one matter for blocking. */
function exceptionsOf(blocked: ReadonlySet<string>, routeDomains: readonly string[]): Set<string> {
  if (blocked.size === 0) return new Set();
  const below = routeDomains.filter((entry) => {
    for (const domain of enclosingDomains(listedDomain(entry) ?? '')) if (blocked.has(domain)) return true;
    return false;
  });
  return readDomains(below);
}

/** Without a configuration, nothing can be reached. */
export const closedPolicy: Policy = {
  families: { ipv4: false, ipv6: false },
  sources: undefined,
  roundTripMs: 0,
  isBlocked: () => false,
  resolve: () => Promise.resolve({ addresses: [] }),
};
