import type { Logger } from 'pino';
import { proxyCredentials, type ProxyCredentials } from '#shared/helper/gateway-session.ts';
import type { Keychain } from '../session/keychain.ts';
import { withTimeout } from '../with-timeout.ts';
import type { ProxyPlace } from './proxy-setting.ts';

/** The names and passwords for proxies, in the keychain. */
export interface ProxyPasswords {
  of(proxy: ProxyPlace): Promise<ProxyCredentials | undefined>;
  keep(proxy: ProxyPlace, credentials: ProxyCredentials): Promise<void>;
}

/** A locked keychain asks the user first; a broken one never answers. */
const keychainTimeoutMs = 3_000;

export function createProxyPasswords(keychain: Keychain, log: Logger): ProxyPasswords {
  // What was entered for one inside TLS is not for whoever is there in clear.
  const account = ({ protocol, host, port }: ProxyPlace) =>
    `${protocol === 'https' ? 'secure proxy' : 'proxy'} ${host} ${port}`;
  return {
    async of(proxy) {
      let text: string | null;
      try {
        text = await withTimeout(keychain.read(account(proxy)), keychainTimeoutMs, null);
      } catch (error) {
        log.warn({ err: error }, 'the proxy’s password cannot be read');
        return undefined;
      }
      if (text === null) return undefined;
      try {
        return proxyCredentials.parse(JSON.parse(text));
      } catch {
        // The error would have a piece of it.
        log.warn('what the keychain has in the place of the proxy’s password is none');
        return undefined;
      }
    },
    async keep(proxy, credentials) {
      const text = JSON.stringify(credentials);
      try {
        await withTimeout(keychain.write(account(proxy), text), keychainTimeoutMs, undefined);
      } catch (error) {
        log.warn({ err: error }, 'the proxy’s password is not kept');
      }
    },
  };
}
