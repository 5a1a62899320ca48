import * as z from 'zod/mini';
import { pacPath } from './pac-address.ts';

/** The messages between helper and proxy: one JSON document per line, in both directions. */

const lists = z.object({
  /** Domains as in the lists; entries that are not domain names are ignored. */
  routeDomains: z.array(z.string()),
  blockedDomains: z.array(z.string()),
  /** Names that browsers do not send here, unless a longer name of the lists is. */
  directDomains: z.array(z.string()),
});
export type ProxyLists = z.infer<typeof lists>;

/** A message to the proxy's standard input. Each replaces the one before; open connections continue. */
export const proxyMessage = z.object({
  /** The VPN's resolvers, the only ones that are asked; without any, names cannot be resolved. */
  resolvers: z.array(z.union([z.ipv4(), z.ipv6()])),
  /** The address families that can be reached through the tunnel. */
  families: z.object({ ipv4: z.boolean(), ipv6: z.boolean() }),
  /**
   * The addresses that connections and look-ups come from, where the system chooses their way by that. Absent: it
   * chooses the address.
   */
  sources: z.optional(z.object({ ipv4: z.optional(z.ipv4()), ipv6: z.optional(z.ipv6()) })),
  /** If absent, the lists stay: sending a hundred thousand names takes a slow computer a second. */
  lists: z.optional(lists),
  /** How long the gateway takes to answer, in milliseconds, if that is known. */
  roundTripMs: z.optional(z.int().check(z.nonnegative())),
  /** Whether to continue when standard input ends. */
  outlive: z.boolean(),
});
export type ProxyMessage = z.infer<typeof proxyMessage>;

/** The proxy's complete configuration. */
export type ProxyConfiguration = Omit<ProxyMessage, 'lists'> & ProxyLists;

/** The proxy's message on standard output once a configuration is in force. */
export const proxyReady = z.object({
  /** The path of the PAC file on its port; it changes exactly when the content does. */
  pacPath: z.string().check(z.regex(pacPath)),
});
export type ProxyReady = z.infer<typeof proxyReady>;

/** The message if a configuration cannot be applied; the previous one stays in force. */
const proxyRefusal = z.object({ refused: z.string() });
export const proxyAnswer = z.union([proxyReady, proxyRefusal]);
export type ProxyAnswer = z.infer<typeof proxyAnswer>;
