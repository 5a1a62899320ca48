import { Resolver } from 'node:dns/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { ProxyConfiguration } from './proxy-messages.ts';

/** The addresses of a name, IPv6 first; empty if it has none or no resolver answers. */
export interface NameAddresses {
  addresses: string[];
  /** Those of the other family, if a resolver has not said by now whether there are any. */
  late?: Promise<string[]>;
}

/** Finds the addresses of a canonical name. */
export type ResolveName = (name: string) => Promise<NameAddresses>;

/** For each resolver and try, at least; c-ares increases it from try to try. */
const timeoutMs = 2000;
const tries = 2;

/**
 * How long the other family is waited for once one has answered (RFC 8305 §3, Resolution Delay): some resolvers never
 * answer for a type that they do not know.
 */
const resolutionDelayMs = 50;

/**
 * Asks only the given resolvers: not the system's, and no hosts file. `delayMs`: how long the other family is waited
 * for.
 */
export function createNameResolution(
  {
    resolvers,
    families,
    sources,
    roundTripMs = 0,
  }: Pick<ProxyConfiguration, 'resolvers' | 'families' | 'roundTripMs' | 'sources'>,
  { delayMs = resolutionDelayMs }: { delayMs?: number } = {},
): ResolveName {
  // With an empty list of servers, c-ares would keep those of /etc/resolv.conf.
  if (resolvers.length === 0) return () => Promise.resolve({ addresses: [] });
  const resolver = new Resolver({ timeout: Math.max(timeoutMs, 2 * roundTripMs), tries });
  resolver.setServers(resolvers);
  if (sources) resolver.setLocalAddress(sources.ipv4, sources.ipv6);
  const resolve: ResolveName = async (name) => {
    const ipv6 = look(families.ipv6, () => resolver.resolve6(name));
    const ipv4 = look(families.ipv4, () => resolver.resolve4(name));
    const [first, other] = await Promise.race([
      ipv6.found.then(() => [ipv6, ipv4] as const),
      ipv4.found.then(() => [ipv4, ipv6] as const),
      Promise.all([ipv6.answer, ipv4.answer]).then(() => [ipv6, ipv4] as const),
    ]);
    const isOver = await Promise.race([other.answer.then(() => true), delay(delayMs, false, { ref: false })]);
    if (isOver) return { addresses: [...(await ipv6.answer), ...(await ipv4.answer)] };
    return { addresses: await first.answer, late: other.answer };
  };
  return sharedWhileAsked(resolve);
}

/**
 * A browser opens many connections to one name at once. A query for each would be more than the buffers of a resolver
 * and of this machine take, and what they drop is asked for again seconds later.
 */
function sharedWhileAsked(resolve: ResolveName): ResolveName {
  const asked = new Map<string, Promise<NameAddresses>>();
  return (name) => {
    const before = asked.get(name);
    if (before) return before;
    const found = resolve(name).finally(() => asked.delete(name));
    asked.set(name, found);
    return found;
  };
}

/** `found` resolves only if there are addresses. */
function look(isWanted: boolean, ask: () => Promise<string[]>) {
  const answer = isWanted ? ask().catch((): string[] => []) : Promise.resolve<string[]>([]);
  const found = new Promise<void>((resolve) => {
    void answer.then((addresses) => addresses.length > 0 && resolve());
  });
  return { answer, found };
}
