import { isIP } from 'node:net';
import type { Logger } from 'pino';
import type { ProxyCredentials } from '#shared/helper/gateway-session.ts';
import { withTimeout } from '../with-timeout.ts';
import type { ProxyRefusals } from './proxy-refusals.ts';
import { placeOf, type ProxyPlace } from './proxy-setting.ts';
import { isOfThisComputer } from './this-computer.ts';
import type { WayOut } from './way-out.ts';

const lookUpLimitMs = 5_000;
/** Of one proxy: whoever answers for its name could have thousands of them tried. */
const maxAddresses = 8;

/** Where proxies are, and what they are told. */
export interface ProxyLookUp {
  /**
   * With its addresses, of which those of this computer are left out; undefined if none are left. `known`: what the
   * user has entered for it, at such addresses.
   */
  wayBy(
    proxy: ProxyPlace,
    known: (addresses: readonly string[]) => Promise<ProxyCredentials | undefined>,
    before?: WayOut,
  ): Promise<WayOut | undefined>;
  /** Those of the proxy itself, as they were found last. */
  addressesOf(proxy: ProxyPlace): readonly string[] | undefined;
}

export function createProxyLookUp(options: {
  find: (host: string) => Promise<string[]>;
  refusals: Pick<ProxyRefusals, 'has'>;
  log: Logger;
}): ProxyLookUp {
  const { find, refusals, log } = options;
  /** By place. */
  const addressesOf = new Map<string, readonly string[]>();

  return {
    addressesOf: (proxy) => addressesOf.get(placeOf(proxy)),
    async wayBy(proxy, known, before) {
      const found =
        isIP(proxy.host) !== 0
          ? [proxy.host]
          : await withTimeout(
              find(proxy.host).catch(() => []),
              lookUpLimitMs,
              [],
            );
      const own = found.slice(0, maxAddresses).filter((address) => !isOfThisComputer(address));
      // What such a proxy sends would have to go through the tunnel that it leads to.
      if (found.length > 0 && own.length === 0) {
        log.warn({ proxy: proxy.host }, 'a proxy on this computer cannot be used for tunnels');
        return undefined;
      }
      const addresses = own.length > 0 || before?.host !== proxy.host ? own : before.addresses;
      if (addresses.length === 0) {
        log.warn({ proxy: proxy.host }, 'the proxy’s name cannot be looked up');
        return undefined;
      }
      // What the user has entered is newer than what was set, until the proxy refuses it.
      const logins = [await known(addresses), proxy.credentials].filter((one) => one !== undefined);
      const credentials = logins.find((one) => !refusals.has(proxy, one)) ?? logins[0];
      addressesOf.set(placeOf(proxy), addresses);
      return { ...proxy, credentials, addresses };
    },
  };
}
