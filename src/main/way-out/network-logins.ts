import { isDeepStrictEqual } from 'node:util';
import type { ProxyCredentials } from '#shared/helper/gateway-session.ts';
import { placeOf, type ProxyPlace } from './proxy-setting.ts';
import type { DiscoveredScript } from './script/discover-script.ts';

/**
 * What the user has entered for the proxies of a script that the network itself names (WPAD). The network may be
 * anybody's: nothing of it is kept, nothing that was kept is used, and on another network it is forgotten.
 */
export interface NetworkLogins {
  /** The script that the network names now; undefined: none. */
  onNetworkWith(script: DiscoveredScript | undefined): void;
  /** Undefined also if one of these addresses, which the proxy has now, is none of those where they were entered. */
  of(proxy: ProxyPlace, addresses: readonly string[]): ProxyCredentials | undefined;
  set(proxy: ProxyPlace, credentials: ProxyCredentials, addresses: readonly string[]): void;
}

export function createNetworkLogins(): NetworkLogins {
  let script: DiscoveredScript | undefined;
  let logins = new Map<string, { credentials: ProxyCredentials; addresses: readonly string[] }>();
  return {
    onNetworkWith(now) {
      if (!isDeepStrictEqual(now, script)) logins = new Map();
      script = now;
    },
    of(proxy, addresses) {
      const known = logins.get(placeOf(proxy));
      return addresses.every((address) => known?.addresses.includes(address))
        ? known?.credentials
        : undefined;
    },
    set: (proxy, credentials, addresses) => void logins.set(placeOf(proxy), { credentials, addresses }),
  };
}
