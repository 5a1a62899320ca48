import { Resolver } from 'node:dns/promises';
import type { ProxyConfiguration } from './proxy-messages.ts';

/** Finds the addresses of a canonical name, IPv6 first; empty if it has none or no resolver answers. */
export type ResolveName = (name: string) => Promise<string[]>;

/** For each resolver and try; c-ares increases it from try to try. */
const timeoutMs = 2000;
const tries = 2;

/** Asks only the given resolvers: not the system's, and no hosts file. */
export function createNameResolution({
  resolvers,
  families,
}: Pick<ProxyConfiguration, 'resolvers' | 'families'>): ResolveName {
  // With an empty list of servers, c-ares would keep those of /etc/resolv.conf.
  if (resolvers.length === 0) return () => Promise.resolve([]);
  const resolver = new Resolver({ timeout: timeoutMs, tries });
  resolver.setServers(resolvers);
  return async (name) => {
    const answers = await Promise.allSettled([
      families.ipv6 ? resolver.resolve6(name) : [],
      families.ipv4 ? resolver.resolve4(name) : [],
    ]);
    return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  };
}
