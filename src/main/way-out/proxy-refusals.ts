import type { ProxyCredentials } from '#shared/helper/gateway-session.ts';
import { isSameLogin, placeOf, type ProxyPlace } from './proxy-setting.ts';
import type { WayOut } from './way-out.ts';

/** What proxies have said of the credentials that they were sent, or want. */
export interface ProxyRefusals {
  /** `realm`: that for which it wants others. True if it was not sent these, which are for another one. */
  note(way: WayOut, realm: string | undefined): boolean;
  /** Whether it has refused these last; undefined: wants some. */
  has(proxy: ProxyPlace, login: ProxyCredentials | undefined): boolean;
  /** The realm that it has named last. */
  realmOf(proxy: ProxyPlace): string | undefined;
}

export function createProxyRefusals(): ProxyRefusals {
  const refused = new Map<string, ProxyCredentials | undefined>();
  const realms = new Map<string, string>();
  return {
    note(way, realm) {
      const place = placeOf(way);
      if (realm !== undefined) realms.set(place, realm);
      const own = way.credentials?.realm;
      const isUnsent = own !== undefined && realm !== undefined && own !== realm;
      refused.set(place, isUnsent ? undefined : way.credentials);
      return isUnsent;
    },
    has: (proxy, login) => refused.has(placeOf(proxy)) && isSameLogin(refused.get(placeOf(proxy)), login),
    realmOf: (proxy) => realms.get(placeOf(proxy)),
  };
}
