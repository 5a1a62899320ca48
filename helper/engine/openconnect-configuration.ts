import { isIPv4 } from 'node:net';
import type { TunnelConfiguration } from '../network/tunnel-configuration.ts';
import { isHost4, isHost6 } from './host-address.ts';
import { readPushedRoutes } from './pushed-routes.ts';

/**
 * The environment of openconnect's script; the variables are described at the top of vpnc-script. The values come from
 * the network through an unprivileged process, so each is checked before it is used. Without a usable address there is
 * no tunnel; any other value that cannot be used is ignored.
 */

/** The smallest MTU of links that carry IPv4 (RFC 791 §3.2) and IPv6 (RFC 8200 §5). */
const minMtu = { ipv4: 68, ipv6: 1280 } as const;
const maxMtu = 9000;
/** Used if the gateway does not set one: fits every access network with the overhead of DTLS over IPv6. */
const defaultMtu = 1280;

const maxServers = 6;
const maxSearchDomains = 6;

const domain = /^(?=.{1,253}$)[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9])?\.?$/;

export type ConfigurationResult =
  | {
      ok: true;
      configuration: TunnelConfiguration;
      /** The variables that could not be used unchanged. */
      adjusted: string[];
    }
  | { ok: false; problem: string };

/** The configuration that an engine requests for `device`, or what is wrong with it. */
export function readConfiguration(
  environment: ReadonlyMap<string, string>,
  { device, withRoutes }: { device: string; withRoutes: boolean },
): ConfigurationResult {
  const value = (name: string) => environment.get(name) ?? '';
  if (value('TUNDEV') !== device) return { ok: false, problem: 'TUNDEV: not our device' };
  const ipv4 = value('INTERNAL_IP4_ADDRESS');
  // Older engines give the IPv6 address only in the second variable, with its prefix length.
  const ipv6 = value('INTERNAL_IP6_ADDRESS') || withoutLength(value('INTERNAL_IP6_NETMASK'));
  if (ipv4 !== '' && !isHost4(ipv4)) return { ok: false, problem: 'INTERNAL_IP4_ADDRESS' };
  if (ipv6 !== '' && !isHost6(ipv6)) return { ok: false, problem: 'INTERNAL_IP6_ADDRESS' };

  const adjusted: string[] = [];
  const take = <Value>(name: string, taken: { value: Value; isAsGiven: boolean }): Value => {
    if (!taken.isAsGiven) adjusted.push(name);
    return taken.value;
  };
  const words = (name: string, isUsable: (word: string) => boolean, max: number) =>
    take(name, usableWords(value(name), isUsable, max));

  const mtu = take('INTERNAL_IP4_MTU', usableMtu(value('INTERNAL_IP4_MTU')));
  const addresses = {
    ...(ipv4 === '' ? {} : { ipv4 }),
    // The kernel removes IPv6 from a link with a smaller MTU, so IPv6 is blocked there instead of tunnelled.
    ...(ipv6 === '' || mtu < minMtu.ipv6 ? {} : { ipv6 }),
  };
  if (!addresses.ipv4 && !addresses.ipv6) return { ok: false, problem: 'no address' };
  // Despite the names, openconnect puts the servers of both IP versions into the first variable.
  const servers = ['INTERNAL_IP4_DNS', 'INTERNAL_IP6_DNS']
    .flatMap((name) => words(name, (word) => isHost4(word) || isHost6(word), maxServers))
    .filter((server) => (isIPv4(server) ? addresses.ipv4 : addresses.ipv6) !== undefined);
  const searchDomains = words('CISCO_DEF_DOMAIN', (word) => domain.test(word), maxSearchDomains);
  const routes = withRoutes ? readPushedRoutes(environment) : undefined;
  if (routes && 'problem' in routes) adjusted.push(routes.problem);
  return {
    ok: true,
    configuration: {
      addresses,
      mtu,
      dns: { servers: [...new Set(servers)].slice(0, maxServers), searchDomains },
      ...(routes && !('problem' in routes) ? { pushedRoutes: routes } : {}),
    },
    adjusted,
  };
}

const withoutLength = (prefix: string) =>
  /^([0-9A-Fa-f:.]+)(?:\/(?:\d|[1-9]\d|1[01]\d|12[0-8]))?$/.exec(prefix)?.[1] ?? prefix;

function usableMtu(text: string): { value: number; isAsGiven: boolean } {
  if (text === '') return { value: defaultMtu, isAsGiven: true };
  if (!/^\d{1,9}$/.test(text)) return { value: defaultMtu, isAsGiven: false };
  const value = Math.min(Math.max(Number(text), minMtu.ipv4), maxMtu);
  return { value, isAsGiven: value === Number(text) };
}

function usableWords(text: string, isUsable: (word: string) => boolean, max: number) {
  const words = text.split(/[\s,]+/).filter((word) => word !== '');
  const value = words.filter(isUsable).slice(0, max);
  return { value, isAsGiven: value.length === words.length };
}
