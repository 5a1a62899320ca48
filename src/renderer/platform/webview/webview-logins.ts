import { apiCalls } from '#shared/api/calls.ts';
import type { ApiClient } from '#shared/api/client.ts';
import type { GatewayLogin } from '#shared/entities.ts';
import type { HostImplementation } from '#shared/host/contract.ts';
import type { WebviewLogin } from '#shared/host/webview-contract.ts';
import { isServerAt } from '#shared/plan/usable-group.ts';
import { parseServerAddress } from '#shared/tunnel/address.ts';
import { storageKeys } from '../storage/storage-keys.ts';

const kept = apiCalls.gatewayLogins.data;

export interface WebviewLogins {
  /** The app's credentials at the gateway with this address; null if none are known. */
  at(address: string): Promise<WebviewLogin>;
  /** Requests them unless this page has them, for when the service cannot be reached. */
  keep(): Promise<void>;
  /** Passwords of an earlier sign-in are useless. */
  forget(): Promise<void>;
}

/**
 * Passwords of the gateways that the service lists, one for each. The last ones are stored in the app's storage, which
 * is secure enough for the token, for when the service cannot be reached.
 */
export function createWebviewLogins(
  client: Pick<ApiClient, 'call'>,
  storage: HostImplementation['storage'],
): WebviewLogins {
  let told: readonly GatewayLogin[] = [];
  let signIn = 0;

  async function stored(): Promise<readonly GatewayLogin[]> {
    const text = await storage.get(storageKeys.gatewayLogins);
    try {
      const parsed = kept.safeParse(JSON.parse(text ?? ''));
      return parsed.success ? parsed.data.items : [];
    } catch {
      return [];
    }
  }

  async function ask(): Promise<readonly GatewayLogin[]> {
    const asked = signIn;
    const result = await client.call('gatewayLogins');
    if (!result.ok || asked !== signIn) return [];
    told = result.data.items;
    await storage.set({ key: storageKeys.gatewayLogins, value: JSON.stringify(result.data) });
    return told;
  }

  return {
    async at(address) {
      const gateway = parseServerAddress(address)?.gateway;
      if (!gateway) return null;
      const loginIn = (logins: readonly GatewayLogin[]) => {
        const found = logins.find((login) => isServerAt(login, gateway));
        return found && { username: found.username, password: found.password };
      };
      const known = loginIn(told);
      if (known) return known;
      const old = loginIn(await stored());
      const asking = ask();
      return old ?? loginIn(await asking) ?? null;
    },
    async keep() {
      if (told.length === 0) await ask();
    },
    async forget() {
      signIn += 1;
      told = [];
      await storage.remove(storageKeys.gatewayLogins);
    },
  };
}
