import { routingModes } from './modes/routing-plan.ts';

/** What the helper says of itself in `hello`. */
export const helperVersion = '0.1.0';

/**
 * The routing modes that this helper has, that it opens the way to a captive portal, gives its log to whom it is about,
 * takes resolvers and domains of the user's own, and local networks that the user has named, and keeps lists for its
 * clients. `routesGroups`: whether the system can route programs by the group that they are in.
 */
export const helperCapabilities = ({ routesGroups }: { routesGroups: boolean }): string[] => [
  ...routingModes.map((mode) => `routing.${mode}`),
  ...(routesGroups ? ['routing.app'] : []),
  'portal',
  'log',
  'resolvers',
  'local-prefixes',
  'direct-domains',
  'lists',
];
