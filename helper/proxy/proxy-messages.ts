import * as z from 'zod/mini';

/** What the helper and its proxy say to each other: one JSON document a line, each way. */

const lists = z.object({
  /** Domains as the lists have them; what is no domain name is left out. */
  routeDomains: z.array(z.string()),
  blockedDomains: z.array(z.string()),
  /** Names that browsers do not send here, unless a longer one of the lists is. */
  directDomains: z.array(z.string()),
});
export type ProxyLists = z.infer<typeof lists>;

/** What the proxy is told on its standard input. Each replaces the one before; open connections go on. */
export const proxyMessage = z.object({
  /** The VPN's resolvers, the only ones that are ever asked; without any, names are not found. */
  resolvers: z.array(z.union([z.ipv4(), z.ipv6()])),
  /** Families of addresses that can be reached through the tunnel. */
  families: z.object({ ipv4: z.boolean(), ipv6: z.boolean() }),
  /** Absent: those of before. A hundred thousand names take a second of a slow computer. */
  lists: z.optional(lists),
  /** Whether it goes on when its standard input ends. */
  outlive: z.boolean(),
});
export type ProxyMessage = z.infer<typeof proxyMessage>;

/** All that the proxy goes by. */
export type ProxyConfiguration = Omit<ProxyMessage, 'lists'> & ProxyLists;

/** What the proxy says on its standard output as soon as a configuration is in force. */
export const proxyReady = z.object({
  /** Where on its port the PAC file is; changes with the file's content and only with it. */
  pacPath: z.string().check(z.regex(/^\/[0-9a-f]{16}\.pac$/)),
});
export type ProxyReady = z.infer<typeof proxyReady>;

/** What it says instead if it cannot put a configuration in force; the one before still is. */
export const proxyRefusal = z.object({ refused: z.string() });
export const proxyAnswer = z.union([proxyReady, proxyRefusal]);
export type ProxyAnswer = z.infer<typeof proxyAnswer>;
