import { isDeepStrictEqual } from 'node:util';
import type { Logger } from 'pino';
import { findAddresses } from '../gateway/find-addresses.ts';
import type { ProxyCredentials } from '#shared/helper/gateway-session.ts';
import { createListeners } from '../listeners.ts';
import type { ProxyPasswords } from './proxy-passwords.ts';
import { createNetworkLogins } from './network-logins.ts';
import { createProxyLookUp } from './proxy-look-up.ts';
import { createProxyRefusals } from './proxy-refusals.ts';
import { isException, placeOf, type ProxyPlace } from './proxy-setting.ts';
import type { ProxyRule } from './read-proxy-setting.ts';
import type { DiscoveredScript } from './script/discover-script.ts';
import { fetchScript } from './script/fetch-script.ts';
import { createWaysByScript } from './script/ways-by-script.ts';
import type { WayOut } from './way-out.ts';

/** The proxies that lead out of this computer's network, if it has any. */
export interface WaysOut {
  /** The proxy that leads to this host, as far as that is known; undefined: the host is reached directly. */
  to(host: string): WayOut | undefined;
  /** How this computer gets out, by the settings. */
  summary(): WayOutSummary;
  /** Whether it is known how these hosts are reached. Where a script says it, it has to be asked. */
  knows(host: string): boolean;
  /** Resolves when that is known, or cannot be found out, as while traffic does not flow outside a tunnel. */
  learn(hosts: readonly string[]): Promise<void>;
  /** Reads the settings again, and what is known of hosts by a script. Looks up names, too. */
  refresh(): Promise<void>;
  /** The proxy requires other credentials than these, or any; `realm`: for which one, as far as it has said so. */
  refused(way: WayOut, realm?: string): void;
  /** Whether it has said so of the credentials that would be used now. */
  isRefused(way: WayOut): boolean;
  onRefused(listener: (way: WayOut) => void): void;
  /** The proxy, which speaks TLS, has proved who it is, with this key. */
  verified(way: WayOut, certificatePin: string): void;
  /**
   * Uses these credentials for this proxy from now on, for the realm that it has named, and keeps them in the keychain,
   * unless the network names the proxy.
   */
  setCredentials(proxy: ProxyPlace, credentials: ProxyCredentials): Promise<void>;
}

export type WayOutSummary =
  | { kind: 'direct' }
  | { kind: 'proxy' }
  | { kind: 'script' }
  /** The desktop has its programs look for a script on the network. */
  | { kind: 'discovery'; hasScript: boolean };

/** Where a script is: where somebody has set it, or wherever the network says. */
type ScriptPlace = { kind: 'address'; address: string } | { kind: 'discovery' };

type Rule =
  | { kind: 'direct' }
  | { kind: 'proxy'; way: WayOut; exceptions: readonly string[] }
  | { kind: 'script'; place: ScriptPlace; script: string; ways: ReadonlyMap<string, WayOut | undefined> };

/** Of an error, in characters. */
const maxWords = 200;

export interface WaysOutOptions {
  read(): Promise<ProxyRule | undefined>;
  passwords: ProxyPasswords;
  /** Whether traffic flows outside a tunnel, so that names are what they are in this network. */
  isOpen: () => boolean;
  /** Where this network says that its script is. Looks up names. */
  discover?: () => Promise<DiscoveredScript | undefined>;
  find?: (host: string) => Promise<string[]>;
  log: Logger;
}

export function createWaysOut(options: WaysOutOptions): WaysOut {
  const { passwords, isOpen, log, find = findAddresses, discover = async () => undefined } = options;
  let current: Rule = { kind: 'direct' };
  let reading: Promise<void> | undefined;
  let isRead = false;
  /** Whether the desktop has its programs look for a script on the network. */
  let isLookedFor = false;
  const refusals = createProxyRefusals();
  const refusalListeners = createListeners<WayOut>();
  const networkLogins = createNetworkLogins();
  const lookUp = createProxyLookUp({ find, refusals, log });
  /** The keys that proxies have proved themselves with, by place. */
  const keys = new Map<string, string>();
  /** Settles when no script is being asked. */
  let asked: Promise<unknown> = Promise.resolve();

  const wayBySetting = (proxy: ProxyPlace, before?: WayOut) =>
    lookUp.wayBy(proxy, (addresses) => passwords.of(proxy, addresses), before);
  const waysBy = {
    address: createWaysByScript({ find, wayBy: (proxy) => wayBySetting(proxy), log }),
    discovery: createWaysByScript({
      find,
      wayBy: (proxy) =>
        lookUp.wayBy(proxy, (addresses) => Promise.resolve(networkLogins.of(proxy, addresses))),
      log,
    }),
  };

  async function ruleOf(setting: ProxyRule | undefined): Promise<Rule> {
    switch (setting?.kind) {
      case undefined:
        return { kind: 'direct' };
      case 'proxy': {
        const before = current.kind === 'proxy' ? current.way : undefined;
        const way = await wayBySetting(setting.proxy, before);
        if (!way) return { kind: 'direct' };
        const { host, port, protocol } = way;
        if (before?.host !== host) log.info({ proxy: host, port, protocol }, 'a proxy is used');
        return { kind: 'proxy', way, exceptions: setting.exceptions };
      }
      case 'script':
        return await ruleByScript({ kind: 'address', address: setting.address });
      case 'discovery': {
        const { otherwise } = setting;
        const found = await ruleByScript({ kind: 'discovery' });
        return found.kind === 'direct' && otherwise ? await ruleOf({ kind: 'proxy', ...otherwise }) : found;
      }
      default:
        return setting satisfies never;
    }
  }

  async function ruleByScript(place: ScriptPlace): Promise<Rule> {
    const before = current.kind === 'script' && isDeepStrictEqual(current.place, place) ? current : undefined;
    // Through a tunnel, its address and all names may be others, or none.
    if (!isOpen()) return before ?? { kind: 'direct' };
    const found: DiscoveredScript | undefined =
      place.kind === 'address' ? { address: place.address } : await discover();
    // Looked up through a tunnel, in part, it would be another network's.
    if (place.kind === 'discovery' && !isOpen()) return before ?? { kind: 'direct' };
    if (place.kind === 'discovery') networkLogins.onNetworkWith(found);
    if (found === undefined) {
      if (before) log.info('this network names no script that chooses the proxies');
      return { kind: 'direct' };
    }
    let script: string;
    try {
      script = await fetchScript(
        found.address,
        place.kind === 'discovery' ? 'from-network' : 'set',
        found.at,
      );
    } catch (error) {
      // As at home, for a computer that has the address of an office's script.
      log.warn(
        { why: wordsOf(error) },
        'the script that chooses the proxies cannot be had, hosts are reached directly',
      );
      return { kind: 'direct' };
    }
    if (!before) log.info({ from: place.kind }, 'proxies are chosen by a script');
    const hosts = [...(before?.ways.keys() ?? [])];
    const ways =
      hosts.length > 0 ? await waysBy[place.kind](script, hosts) : new Map<string, WayOut | undefined>();
    // A tunnel has begun meanwhile, and names have been looked up through it.
    if (before && !isOpen()) return before;
    return { kind: 'script', place, script, ways };
  }

  async function learnMissing(hosts: readonly string[]): Promise<void> {
    const rule = current;
    // While traffic is blocked, or goes through a tunnel, names are others, or none.
    if (rule.kind !== 'script' || !isOpen()) return;
    const missing = [...new Set(hosts)].filter((host) => !rule.ways.has(host));
    if (missing.length === 0) return;
    const found = await waysBy[rule.place.kind](rule.script, missing);
    if (current === rule && isOpen()) current = { ...rule, ways: new Map([...rule.ways, ...found]) };
  }

  async function refresh(): Promise<void> {
    reading ??= (async () => {
      await asked;
      let wasOpen: boolean;
      do {
        wasOpen = isOpen();
        const setting = await options.read();
        isLookedFor = setting?.kind === 'discovery';
        current = await ruleOf(setting);
        // Who has asked for it since the tunnel ended waits for this.
      } while (!wasOpen && isOpen());
    })()
      .catch((error: unknown) => log.warn({ err: error }, 'the proxy settings cannot be read'))
      .finally(() => {
        reading = undefined;
        isRead = true;
      });
    await reading;
  }

  function to(host: string): WayOut | undefined {
    switch (current.kind) {
      case 'direct':
        return undefined;
      case 'proxy':
        return isException(host, current.exceptions) ? undefined : current.way;
      case 'script':
        return current.ways.get(host);
      default:
        return current satisfies never;
    }
  }

  /** From now on, this proxy gets these. */
  function giveTo(proxy: ProxyPlace, credentials: ProxyCredentials | undefined): void {
    const place = placeOf(proxy);
    // Only at its own addresses: those that can take its place are of proxies that nobody entered them for.
    const withThem = (way: WayOut) =>
      placeOf(way) === place
        ? { ...way, credentials, addresses: lookUp.addressesOf(proxy) ?? way.addresses }
        : way;
    if (current.kind === 'proxy') current = { ...current, way: withThem(current.way) };
    if (current.kind === 'script') {
      const ways = [...current.ways].map(([host, way]) => [host, way && withThem(way)] as const);
      current = { ...current, ways: new Map(ways) };
    }
  }

  return {
    to(host) {
      const way = to(host);
      if (!way) return undefined;
      const isOfNetwork = current.kind === 'script' && current.place.kind === 'discovery';
      return { ...way, certificatePin: keys.get(placeOf(way)), ...(isOfNetwork && { isOfNetwork }) };
    },
    summary() {
      if (current.kind === 'script' && current.place.kind === 'discovery')
        return { kind: 'discovery', hasScript: true };
      // Another proxy may have taken its place.
      return isLookedFor ? { kind: 'discovery', hasScript: false } : { kind: current.kind };
    },
    verified: (way, certificatePin) => void keys.set(placeOf(way), certificatePin),
    knows: (host) => isRead && (current.kind !== 'script' || current.ways.has(host)),
    async learn(hosts) {
      await (reading ?? (isRead ? undefined : refresh()));
      const work = asked.then(() => learnMissing(hosts));
      asked = work.catch((error: unknown) =>
        log.warn({ err: error }, 'the script that chooses the proxies cannot be asked'),
      );
      await asked;
    },
    refresh,
    refused(way, realm) {
      const isUnsent = refusals.note(way, realm);
      if (isUnsent) giveTo(way, undefined);
      refusalListeners.emit(isUnsent ? { ...way, credentials: undefined } : way);
    },
    isRefused: (way) => refusals.has(way, way.credentials),
    onRefused: (listener) => refusalListeners.add(listener),
    async setCredentials(proxy, { username, password }) {
      const realm = refusals.realmOf(proxy);
      const credentials = { username, password, ...(realm !== undefined && { realm }) };
      const isOfNetwork = current.kind === 'script' && current.place.kind === 'discovery';
      giveTo(proxy, credentials);
      const addresses = lookUp.addressesOf(proxy) ?? [];
      if (isOfNetwork) networkLogins.set(proxy, credentials, addresses);
      // SOCKS has no realms. Without one, they could go to whoever asks.
      else if (realm !== undefined || proxy.protocol === 'socks5')
        await passwords.keep(proxy, credentials, addresses);
    },
  };
}

/**
 * Nothing else of it: what a server has sent, whole or its certificate, can be part of the error, and would fill the
 * log.
 */
const wordsOf = (error: unknown): string => {
  if (!(error instanceof Error)) return 'unknown';
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name;
  return (error.message || code).slice(0, maxWords);
};
