import type * as z from 'zod/mini';
import type { controlContract } from '#shared/control/contract.ts';
import { parsePrefix } from '#shared/tunnel/prefix.ts';
import type { Routing } from '#shared/tunnel/state.ts';

export type RoutingSamples = z.infer<(typeof controlContract)['routing']['samples']['output']>;

/** Unused addresses (RFC 5737, RFC 3849), as samples for what is not listed. */
const nobodys = ['192.0.2.254', '198.51.100.254', '203.0.113.254', '2001:db8:ffff::1'];
const maxListed = 12;

/** The samples for the control contract, according to the user's choice. */
export function routingSamples(routing: Routing, addresses: readonly string[]): RoutingSamples {
  switch (routing.mode) {
    case 'ip':
      return { destinations: destinationsOf(routing, addresses), refusedName: null };
    case 'pac': {
      const routed = new Set(routing.routeDomains);
      const refused = routing.blockedDomains.find((name) => !routed.has(name));
      return { destinations: null, refusedName: refused ?? null };
    }
    case 'global':
    case 'app':
      return { destinations: null, refusedName: null };
    default:
      return routing satisfies never;
  }
}

function destinationsOf(
  { policy, routeIps }: Extract<Routing, { mode: 'ip' }>,
  addresses: readonly string[],
): RoutingSamples['destinations'] {
  const asked = [...new Set([...addresses, ...someOf(routeIps), ...nobodys])];
  const listed = listedOf(asked, routeIps);
  return asked.map((address) => ({
    address,
    isRouted: listed.has(address) === (policy === 'include'),
  }));
}

/** The first addresses of some prefixes, spread over the list. */
function someOf(prefixes: readonly string[]): string[] {
  const step = Math.max(1, Math.ceil(prefixes.length / maxListed));
  return prefixes.filter((_, index) => index % step === 0).map((prefix) => prefix.split('/')[0] ?? '');
}

/**
 * Which of the addresses are in any of the prefixes. Each prefix is parsed only once, because there are a hundred
 * thousand.
 */
function listedOf(addresses: readonly string[], prefixes: readonly string[]): Set<string> {
  const wanted = addresses.flatMap((address) => {
    const parsed = parsePrefix(address);
    return parsed ? [{ address, ...parsed }] : [];
  });
  const listed = new Set<string>();
  for (const text of prefixes) {
    const prefix = parsePrefix(text);
    if (!prefix) continue;
    const behind = BigInt((prefix.family === 4 ? 32 : 128) - prefix.length);
    for (const { address, family, first } of wanted)
      if (family === prefix.family && first >> behind === prefix.first >> behind) listed.add(address);
  }
  return listed;
}
