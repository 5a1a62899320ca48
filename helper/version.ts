import { routingModes } from './modes/routing-plan.ts';

/** What the helper says of itself in `hello`. */
export const helperVersion = '0.1.0';

/**
 * The routing modes that this helper has, that it opens the way to a captive portal, gives its log to whom it is about,
 * takes resolvers and domains of the user's own, and local networks that the user has named.
 */
export const helperCapabilities = [
  ...routingModes.map((mode) => `routing.${mode}` as const),
  'portal',
  'log',
  'resolvers',
  'local-prefixes',
  'direct-domains',
] as const;
