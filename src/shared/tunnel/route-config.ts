import * as z from 'zod/mini';
import { canonicalDomain } from './domain-name.ts';

/** Which traffic goes through the tunnel (specification §3, route config). */

/** Maximum lengths. A country has about 9,000 prefixes and 110,000 domains, a phone some hundreds of programs. */
const maxPrefixes = 20_000;
export const maxDomains = 200_000;
export const maxPrograms = 2000;

/** A program as its platform names it, e.g. an Android package name. */
export const programName = z.string().check(z.minLength(1), z.maxLength(256));

/** An address or a prefix such as 198.51.100.0/24. */
const prefix = z.union([z.cidrv4(), z.cidrv6(), z.ipv4(), z.ipv6()]);
const domainList = <Entry extends z.ZodMiniType>(entry: Entry) =>
  z.array(entry).check(z.maxLength(maxDomains));

/** Names with their subdomains: those that go through the tunnel, and those that are refused. */
const listsOf = <Entry extends z.ZodMiniType>(entry: Entry) => ({
  routeDomains: domainList(entry),
  blockedDomains: domainList(entry),
});

/**
 * As the service sends them. One entry that is not a name must not invalidate the others; whoever routes ignores it.
 */
const domainLists = listsOf(z.string());

/** As the helper accepts them, in canonical form only (`listedDomain`). */
export const canonicalDomainLists = listsOf(z.string().check(z.regex(canonicalDomain)));

/** Domains that somebody chose by hand, in the same form. */
export const ownDomains = z.array(z.string().check(z.regex(canonicalDomain))).check(z.maxLength(1000));

export const routeConfig = z.discriminatedUnion('mode', [
  /** All traffic. */
  z.object({ mode: z.literal('global') }),
  /** Traffic of these programs; everything else goes out directly. */
  z.object({ mode: z.literal('app'), routeApps: z.array(programName).check(z.maxLength(maxPrograms)) }),
  /** Traffic to these destinations. `dns`: resolvers to ask while connected; if absent, the VPN's own. */
  z.object({
    mode: z.literal('ip'),
    routeIps: z.array(prefix).check(z.maxLength(maxPrefixes)),
    dns: z.optional(z.array(z.union([z.ipv4(), z.ipv6()])).check(z.maxLength(8))),
  }),
  /** Traffic to these names, through a proxy; `blockedDomains` are refused, everything else goes out directly. */
  z.object({
    mode: z.literal('pac'),
    pac: z.object({
      ...domainLists,
      /** Where the host's proxy listens, as `host:port`. The host says this, never the page. */
      socks5Proxy: z.optional(z.string().check(z.maxLength(300))),
    }),
  }),
]);
export type RouteConfig = z.infer<typeof routeConfig>;

export const routeMode = z.enum(['global', 'app', 'ip', 'pac']);
export type RouteMode = RouteConfig['mode'];

/** The mode that an app uses for automatic routing, or undefined if it can only route everything. */
export function automaticMode(modes: readonly RouteMode[]): Exclude<RouteMode, 'global'> | undefined {
  // Finest first. On a platform with several of these modes, the first one is used.
  const finest = ['app', 'ip', 'pac'] as const;
  return finest.find((mode) => modes.includes(mode));
}
