import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { Logger } from 'pino';
import type { ProxyCredentials } from '#shared/helper/protocol.ts';
import { isInsidePrefix } from '#shared/tunnel/prefix.ts';
import { withTimeout } from '../with-timeout.ts';
import type { ProxyPasswords } from './proxy-passwords.ts';
import { isException, type ProxyPlace, type ProxySetting } from './proxy-setting.ts';

/** The proxies that lead out of this computer's network, if it has any. */
export interface WaysOut {
  /** The proxy that leads to this host, as it was last read; undefined: the host is reached directly. */
  to(host: string): WayOut | undefined;
  /** The proxy for hosts that are no exceptions, if there is one. */
  any(): WayOut | undefined;
  /** Reads the settings again. Looks up the proxy's name, which is no longer possible once traffic is blocked. */
  refresh(): Promise<void>;
  /** Uses these credentials for this proxy from now on, and keeps them in the keychain. */
  setCredentials(proxy: ProxyPlace, credentials: ProxyCredentials): Promise<void>;
}

export interface WayOut extends ProxyPlace {
  /** The proxy's own addresses, at least one. */
  addresses: readonly string[];
}

const lookUpLimitMs = 5_000;

export function createWaysOut(options: {
  read(): Promise<ProxySetting | undefined>;
  passwords: ProxyPasswords;
  find?: (host: string) => Promise<string[]>;
  log: Logger;
}): WaysOut {
  const { passwords, log, find = findAddresses } = options;
  let current: { way: WayOut; exceptions: readonly string[] } | undefined;
  let reading: Promise<void> | undefined;

  async function read(): Promise<void> {
    const setting = await options.read();
    if (!setting) {
      current = undefined;
      return;
    }
    const { proxy, exceptions } = setting;
    const before = current?.way;
    const isSame = before?.host === proxy.host;
    const found =
      isIP(proxy.host) !== 0 ? [proxy.host] : await withTimeout(find(proxy.host), lookUpLimitMs, []);
    const addresses = found.filter((address) => !isOfThisComputer(address));
    // What such a proxy sends would have to go through the tunnel that it leads to.
    if (found.length > 0 && addresses.length === 0) {
      log.warn({ proxy: proxy.host }, 'a proxy on this computer cannot be used for tunnels');
      current = undefined;
      return;
    }
    const usable = addresses.length > 0 ? addresses : isSame ? before.addresses : [];
    if (usable.length === 0) {
      log.warn({ proxy: proxy.host }, 'the proxy’s name cannot be looked up');
      current = undefined;
      return;
    }
    const credentials = proxy.credentials ?? (await passwords.of(proxy));
    if (!isSame)
      log.info({ proxy: proxy.host, port: proxy.port, protocol: proxy.protocol }, 'a proxy is used');
    current = { way: { ...proxy, credentials, addresses: usable }, exceptions };
  }

  return {
    to: (host) => (current && !isException(host, current.exceptions) ? current.way : undefined),
    any: () => current?.way,
    async refresh() {
      reading ??= read()
        .catch((error: unknown) => log.warn({ err: error }, 'the proxy settings cannot be read'))
        .finally(() => {
          reading = undefined;
        });
      await reading;
    },
    async setCredentials(proxy, credentials) {
      if (current?.way.host === proxy.host && current.way.port === proxy.port)
        current = { ...current, way: { ...current.way, credentials } };
      await passwords.keep(proxy, credentials);
    },
  };
}

const isOfThisComputer = (address: string) =>
  address === '::1' || (isIP(address) === 4 && isInsidePrefix(address, '127.0.0.0/8'));

async function findAddresses(host: string): Promise<string[]> {
  const found = await lookup(host, { all: true });
  return found.map(({ address }) => address).filter((address) => !address.includes('%'));
}
