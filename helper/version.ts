import { routingModes } from './modes/plan-of.ts';
import type { SupportedParts } from './system/system-adapter.ts';

/** The version that the helper reports in `hello`. */
export const helperVersion = '0.1.0';

/**
 * The helper's capabilities: its routing modes, access to captive portals, its log for the user it is about, the user's
 * own resolvers, domains and local networks, stored lists, client certificates for the tunnel, what may come in through
 * it, the name under which a gateway knows the client, further addresses of a gateway, a proxy on the way to it,
 * sealing secrets, TLS sessions that the tunnel resumes, a proxy that speaks TLS, the realm of a proxy's password,
 * connections to a gateway that are held ready, signing in at whichever of its addresses answers, and a connection for
 * the tunnel that is opened meanwhile.
 */
export const helperCapabilities = ({ groups, proxies, portals }: SupportedParts): string[] => [
  ...routingModes.filter((mode) => mode !== 'pac' || proxies).map((mode) => `routing.${mode}`),
  ...(groups ? ['routing.app'] : []),
  ...(portals ? ['portal'] : []),
  'log',
  'resolvers',
  'local-prefixes',
  'direct-domains',
  'lists',
  'client-certificate',
  'incoming',
  'gateway-agent',
  'addresses',
  'proxy',
  'seal',
  'tls-session',
  'proxy-tls',
  'proxy-realm',
  'hold',
  'sign-in-addresses',
  'hold-at-sign-in',
];
