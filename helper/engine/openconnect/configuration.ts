import type { GivenConfiguration } from '../engine-port.ts';
import { readPushedRoutes } from './pushed-routes.ts';

/** The environment of openconnect's script; the variables are described at the top of vpnc-script. */

/** What an engine was given for `device`; undefined if it is about another device. */
export function readEnvironment(
  environment: ReadonlyMap<string, string>,
  { device, withRoutes }: { device: string; withRoutes: boolean },
): GivenConfiguration | undefined {
  const value = (name: string) => environment.get(name) ?? '';
  const words = (name: string) =>
    value(name)
      .split(/[\s,;]+/)
      .filter((word) => word !== '');
  if (value('TUNDEV') !== device) return undefined;
  return {
    ipv4: value('INTERNAL_IP4_ADDRESS'),
    // Older engines give the IPv6 address only in the second variable, with its prefix length.
    ipv6: value('INTERNAL_IP6_ADDRESS') || withoutLength(value('INTERNAL_IP6_NETMASK')),
    mtu: value('INTERNAL_IP4_MTU'),
    // Despite the names, openconnect puts the servers of both IP versions into the first variable.
    servers: ['INTERNAL_IP4_DNS', 'INTERNAL_IP6_DNS'].flatMap(words),
    searchDomains: words('CISCO_DEF_DOMAIN'),
    ...(withRoutes && { routes: readPushedRoutes(environment) }),
  };
}

const withoutLength = (prefix: string) =>
  /^([0-9A-Fa-f:.]+)(?:\/(?:\d|[1-9]\d|1[01]\d|12[0-8]))?$/.exec(prefix)?.[1] ?? prefix;
