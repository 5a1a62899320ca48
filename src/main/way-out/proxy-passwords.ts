import type { Logger } from 'pino';
import * as z from 'zod/mini';
import { proxyCredentials, type ProxyCredentials } from '#shared/helper/gateway-session.ts';
import type { Keychain } from '../session/keychain.ts';
import { withTimeout } from '../with-timeout.ts';
import { isSameLogin, type ProxyPlace } from './proxy-setting.ts';

/**
 * The names and passwords for proxies, in the keychain, together with where they were told: another network can have a
 * proxy of the same name, elsewhere.
 */
export interface ProxyPasswords {
  /** Undefined also if any of these addresses, which the proxy has now, is not one of those where they were told. */
  of(proxy: ProxyPlace, addresses: readonly string[]): Promise<ProxyCredentials | undefined>;
  /** `addresses`: those of the proxy. The same credentials are then kept for those of before, too. */
  keep(proxy: ProxyPlace, credentials: ProxyCredentials, addresses: readonly string[]): Promise<void>;
}

/** A locked keychain asks the user first; a broken one never answers. */
const keychainTimeoutMs = 3_000;
/** Of one proxy, the newest: an organisation may have one by the same name in each of its offices. */
const maxAddresses = 64;

const keptCredentials = z.extend(proxyCredentials, { addresses: z.array(z.string()) });

export function createProxyPasswords(keychain: Keychain, log: Logger): ProxyPasswords {
  // What was entered for one inside TLS is not for whoever is there in clear.
  const account = ({ protocol, host, port }: ProxyPlace) =>
    `${protocol === 'https' ? 'secure proxy' : 'proxy'} ${host} ${port}`;

  async function read(proxy: ProxyPlace): Promise<z.infer<typeof keptCredentials> | undefined> {
    let text: string | null;
    try {
      text = await withTimeout(keychain.read(account(proxy)), keychainTimeoutMs, null);
    } catch (error) {
      log.warn({ err: error }, 'the proxy’s password cannot be read');
      return undefined;
    }
    if (text === null) return undefined;
    try {
      return keptCredentials.parse(JSON.parse(text));
    } catch {
      // The error would have a piece of it.
      log.warn('what the keychain has in the place of the proxy’s password is none');
      return undefined;
    }
  }

  return {
    async of(proxy, addresses) {
      const kept = await read(proxy);
      if (!kept) return undefined;
      const { addresses: known, ...credentials } = kept;
      if (addresses.every((address) => known.includes(address))) return credentials;
      log.info({ proxy: proxy.host }, 'the proxy has another address than where its password was entered');
      return undefined;
    },
    async keep(proxy, credentials, addresses) {
      const before = await read(proxy);
      const earlier = isSameLogin(before, credentials) ? before?.addresses : undefined;
      const all = [...new Set([...(earlier ?? []), ...addresses])];
      const text = JSON.stringify({ ...credentials, addresses: all.slice(-maxAddresses) });
      try {
        await withTimeout(keychain.write(account(proxy), text), keychainTimeoutMs, undefined);
      } catch (error) {
        log.warn({ err: error }, 'the proxy’s password is not kept');
      }
    },
  };
}
