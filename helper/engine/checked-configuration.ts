import { isIPv4 } from 'node:net';
import type { Log } from '../log.ts';
import {
  maxPushedRoutes,
  type PushedRoutes,
  type TunnelConfiguration,
} from '../network/tunnel-configuration.ts';
import { isDomain } from './domain-form.ts';
import type { GivenConfiguration, GivenRoutes } from './engine-port.ts';
import { isHost4, isHost6, isOfNoHost } from './host-address.ts';

/**
 * Every engine's configuration passes this check. Its values come from the network through an unprivileged process, so
 * each is checked before it is used. Without a usable address there is no tunnel; any other value that cannot be used
 * is ignored.
 */

/** The smallest MTU of links that carry IPv4 (RFC 791 §3.2) and IPv6 (RFC 8200 §5). */
const minMtu = { ipv4: 68, ipv6: 1280 } as const;
const maxMtu = 9000;
/** Used if the gateway does not set one: fits every access network with the overhead of DTLS over IPv6. */
const defaultMtu = 1280;

const maxServers = 6;
const maxSearchDomains = 6;

export type CheckedConfiguration =
  | {
      ok: true;
      configuration: TunnelConfiguration;
      /** The values that could not be used unchanged. */
      adjusted: (keyof GivenConfiguration)[];
    }
  | { ok: false; problem: keyof GivenConfiguration | 'no address' };

/** Passes on what an engine was given, as far as it can be used; false if it cannot, or could not be applied. */
export const withCheckedConfiguration =
  (log: Log, apply: (configuration: TunnelConfiguration) => Promise<boolean>) =>
  async (given: GivenConfiguration): Promise<boolean> => {
    const checked = checkConfiguration(given);
    if (!checked.ok) {
      log.warn('the gateway gave an unusable configuration', { problem: checked.problem });
      return false;
    }
    if (checked.adjusted.length > 0) {
      log.warn('the gateway gave values that cannot be used as they are', {
        values: checked.adjusted.join(' '),
      });
    }
    return await apply(checked.configuration);
  };

export function checkConfiguration(given: GivenConfiguration): CheckedConfiguration {
  const { ipv4 = '', ipv6 = '' } = given;
  if (ipv4 !== '' && !isHost4(ipv4)) return { ok: false, problem: 'ipv4' };
  if (ipv6 !== '' && !isHost6(ipv6)) return { ok: false, problem: 'ipv6' };

  const adjusted: (keyof GivenConfiguration)[] = [];
  const take = <Value>(
    name: keyof GivenConfiguration,
    taken: { value: Value; isAsGiven: boolean },
  ): Value => {
    if (!taken.isAsGiven) adjusted.push(name);
    return taken.value;
  };
  const mtu = take('mtu', usableMtu(given.mtu ?? ''));
  const addresses = {
    ...(ipv4 === '' ? {} : { ipv4 }),
    // The kernel removes IPv6 from a link with a smaller MTU, so IPv6 is blocked there instead of tunnelled.
    ...(ipv6 === '' || mtu < minMtu.ipv6 ? {} : { ipv6 }),
  };
  if (!addresses.ipv4 && !addresses.ipv6) return { ok: false, problem: 'no address' };
  const servers = take(
    'servers',
    usableWords(given.servers, (word) => isHost4(word) || isHost6(word), maxServers),
  ).filter((server) => (isIPv4(server) ? addresses.ipv4 : addresses.ipv6) !== undefined);
  const searchDomains = take(
    'searchDomains',
    usableWords(given.searchDomains.map(withoutFirstDot), isDomain, maxSearchDomains),
  );
  const pushedRoutes = given.routes && take('routes', usableRoutes(given.routes));
  return {
    ok: true,
    configuration: {
      addresses,
      mtu,
      dns: { servers: [...new Set(servers)], searchDomains },
      ...(pushedRoutes && { pushedRoutes }),
    },
    adjusted,
  };
}

/** Some gateways write domains as cookies have them: `.example.com`. */
const withoutFirstDot = (domain: string) => domain.replace(/^\./, '');

function usableMtu(text: string): { value: number; isAsGiven: boolean } {
  if (text === '') return { value: defaultMtu, isAsGiven: true };
  if (!/^\d{1,9}$/.test(text)) return { value: defaultMtu, isAsGiven: false };
  const value = Math.min(Math.max(Number(text), minMtu.ipv4), maxMtu);
  return { value, isAsGiven: value === Number(text) };
}

function usableWords(words: readonly string[], isUsable: (word: string) => boolean, max: number) {
  const value = words.filter(isUsable).slice(0, max);
  return { value, isAsGiven: value.length === words.length };
}

/**
 * If one of the routes is invalid, or there are too many, all are ignored: leaving out an include would let its packets
 * bypass the tunnel. Exceptions for what no tunnel carries say nothing: gateways that let their users reach their own
 * networks push `0.0.0.0/32`, which means those, and some have multicast and link-local networks in their lists.
 */
function usableRoutes(given: GivenRoutes): { value: PushedRoutes | undefined; isAsGiven: boolean } {
  const unusable = { value: undefined, isAsGiven: false };
  if (given === 'unreadable') return unusable;
  const routes: PushedRoutes = { includes: [], excludes: [] };
  for (const family of ['ipv4', 'ipv6'] as const) {
    for (const kind of ['includes', 'excludes'] as const) {
      const prefixes = given[family][kind];
      const told = kind === 'excludes' ? prefixes.filter((prefix) => !isOfNoHost(prefix, family)) : prefixes;
      if (prefixes.length > maxPushedRoutes || !told.every((prefix) => isPrefix(prefix, family)))
        return unusable;
      routes[kind].push(...new Set(told));
    }
  }
  return { value: routes, isAsGiven: true };
}

/** Whether it consists of unicast addresses, or is the default route. */
function isPrefix(prefix: string, family: 'ipv4' | 'ipv6'): boolean {
  const [, address = '', length = ''] = /^([^/]+)\/(0|[1-9]\d{0,2})$/.exec(prefix) ?? [];
  if (length === '' || Number(length) > (family === 'ipv4' ? 32 : 128)) return false;
  if (length === '0') return address === (family === 'ipv4' ? '0.0.0.0' : '::');
  return family === 'ipv4' ? isHost4(address) : isHost6(address);
}
