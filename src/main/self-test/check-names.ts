import * as z from 'zod/mini';

/** What a self-test looks at, in this order. */
export const checkNames = [
  'tunnel',
  'ipv4',
  'ipv6',
  'names',
  'plain',
  'other-ip-version',
  'other-resolvers',
  'bound-sockets',
  'others-routes',
  'neighbours',
  'engine-killed',
  'helper-killed',
  'local-network',
  'automatic',
  'by-address',
  'by-app',
  'restored',
] as const;
export const checkName = z.enum(checkNames);
export type CheckName = z.infer<typeof checkName>;
