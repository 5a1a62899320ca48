import { isBlocked, readDomains } from '#shared/tunnel/domain-set.ts';
import type { ProxyConfiguration } from './proxy-messages.ts';
import { createNameResolution, type ResolveName } from './resolve-name.ts';

/** What a configuration means for a connection that is about to be opened. */
export interface Policy {
  families: ProxyConfiguration['families'];
  isBlocked(name: string): boolean;
  resolve: ResolveName;
}

export function createPolicy(configuration: ProxyConfiguration): Policy {
  const lists = {
    routed: readDomains(configuration.routeDomains),
    blocked: readDomains(configuration.blockedDomains),
  };
  return {
    families: configuration.families,
    isBlocked: (name) => isBlocked(name, lists),
    resolve: createNameResolution(configuration),
  };
}

/** As long as there is no configuration, nothing can be reached. */
export const closedPolicy: Policy = {
  families: { ipv4: false, ipv6: false },
  isBlocked: () => false,
  resolve: () => Promise.resolve([]),
};
