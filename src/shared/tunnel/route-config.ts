import * as z from 'zod/mini';
import { canonicalDomain } from './domain-name.ts';

/** Which traffic goes through the tunnel (specification §3, route config). */

/** Longest lists: a country has some 9,000 prefixes and 110,000 domains, a phone some hundreds of apps. */
const maxPrefixes = 20_000;
export const maxDomains = 200_000;
export const maxApps = 2000;

/** An app as its platform names it, e.g. an Android package name. */
export const appName = z.string().check(z.minLength(1), z.maxLength(256));

/** An address or a prefix such as 198.51.100.0/24. */
const prefix = z.union([z.cidrv4(), z.cidrv6(), z.ipv4(), z.ipv6()]);
const domainList = <Entry extends z.ZodMiniType>(entry: Entry) =>
  z.array(entry).check(z.maxLength(maxDomains));

/** Names with all that is below them: through the tunnel, and refused. */
const listsOf = <Entry extends z.ZodMiniType>(entry: Entry) => ({
  routeDomains: domainList(entry),
  blockedDomains: domainList(entry),
});

/** As the service has them. One entry that is no name must not cost the rest: who routes leaves it out. */
const domainLists = listsOf(z.string());

/** As the helper takes them, in canonical form alone (`listedDomain`). */
export const canonicalDomainLists = listsOf(z.string().check(z.regex(canonicalDomain)));

/** Domains that somebody chose by hand, in the same form. */
export const ownDomains = z.array(z.string().check(z.regex(canonicalDomain))).check(z.maxLength(1000));

export const routeConfig = z.discriminatedUnion('mode', [
  /** All of it. */
  z.object({ mode: z.literal('global') }),
  /** That of these apps; the rest goes out directly. */
  z.object({ mode: z.literal('app'), routeApps: z.array(appName).check(z.maxLength(maxApps)) }),
  /** That to these destinations; `dns`: resolvers to ask while connected, the VPN's own if absent. */
  z.object({
    mode: z.literal('ip'),
    routeIps: z.array(prefix).check(z.maxLength(maxPrefixes)),
    dns: z.optional(z.array(z.union([z.ipv4(), z.ipv6()])).check(z.maxLength(8))),
  }),
  /** That to these names, by a proxy; `blockedDomains` are refused, the rest goes out directly. */
  z.object({
    mode: z.literal('pac'),
    pac: z.object({
      ...domainLists,
      /** Where the host's proxy listens, as `host:port`: told by the host, never by the page. */
      socks5Proxy: z.optional(z.string().check(z.maxLength(300))),
    }),
  }),
]);
export type RouteConfig = z.infer<typeof routeConfig>;

export const routeMode = z.enum(['global', 'app', 'ip', 'pac']);
export type RouteMode = RouteConfig['mode'];

/** How an app routes when it does so automatically, or undefined if it can route everything only. */
export function automaticMode(modes: readonly RouteMode[]): Exclude<RouteMode, 'global'> | undefined {
  // An app that has several is on a platform where the first of these is the finest.
  const finest = ['app', 'ip', 'pac'] as const;
  return finest.find((mode) => modes.includes(mode));
}
