import type { Logger } from 'pino';
import * as z from 'zod/mini';
import type { ApiClient, ApiSession } from '#shared/api/client.ts';
import { gatewayLogin, type GatewayLogin } from '#shared/entities.ts';
import { parseJson } from '#shared/parse-json.ts';
import type { Gateway } from '#shared/tunnel/state.ts';
import type { Keychain } from '../session/keychain.ts';
import { withTimeout } from '../with-timeout.ts';
import { isSameGateway } from './authority.ts';
import type { GatewayCredentials } from './sign-in/session.ts';

/**
 * This device's passwords at the gateways that the service lists for it, one for each gateway. They are stored in the
 * keychain, because the service cannot be reached while traffic is blocked.
 */
export interface GatewayLogins {
  /** What is known now; undefined if the user has to be asked. */
  known(gateway: Gateway): GatewayCredentials | undefined;
  /** Asks the service if nothing is known about this gateway; settles soon, whether or not the service answers. */
  find(gateway: Gateway): Promise<GatewayCredentials | undefined>;
  /** Asks the service; whether it has answered. Changes nothing if the service cannot be reached. */
  refresh(): Promise<boolean>;
  forget(): Promise<void>;
}

export interface GatewayLoginsOptions {
  client: ApiClient;
  session: () => ApiSession;
  keychain: Keychain;
  log: Logger;
}

/** A locked keychain asks the user first; a broken one never answers. */
const keychainTimeoutMs = 3000;
/** While traffic is blocked, the service never answers. */
export const serviceTimeoutMs = 5000;
/** A call that takes longer may be on a connection of a network that is gone, while another one is answered. */
const lostAfterMs = 2000;

/** `token`: the token of the sign-in that they belong to; passwords of an earlier one are useless. */
const kept = z.object({ token: z.string(), logins: z.array(gatewayLogin) });

export function createGatewayLogins({ client, session, keychain, log }: GatewayLoginsOptions): GatewayLogins {
  let current: { token: string; logins: readonly GatewayLogin[] } | undefined;
  let reading: Promise<void> | undefined;
  let asking: { promise: Promise<boolean>; since: number } | undefined;
  /** Failures of the keychain that were already logged. */
  const reported = new Set<string>();

  const account = () => `gateway passwords ${session().deviceId}`;

  async function inKeychain<Value>(work: () => Promise<Value>): Promise<Value | undefined> {
    try {
      return await withTimeout(work(), keychainTimeoutMs, undefined);
    } catch (error) {
      const reason = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
      // Log once: this runs for every server that the user looks at, and the cause is the same.
      if (!reported.has(reason)) {
        reported.add(reason);
        log.warn({ err: error }, 'the keychain does not keep the passwords of gateways');
      }
      return undefined;
    }
  }

  async function read(): Promise<void> {
    const text = await inKeychain(() => keychain.read(account()));
    const parsed = kept.safeParse(parseJson(text ?? ''));
    if (parsed.success) current ??= parsed.data;
  }

  async function ask(): Promise<boolean> {
    const { token } = session();
    if (token === undefined) return false;
    const result = await client.call('gatewayLogins');
    if (!result.ok || session().token !== token) return false;
    current = { token, logins: result.data.items };
    const text = JSON.stringify(current);
    await inKeychain(() => keychain.write(account(), text));
    return true;
  }

  function known(gateway: Gateway): GatewayCredentials | undefined {
    if (current === undefined || current.token !== session().token) return undefined;
    const found = current.logins.find(({ domain, port }) => isSameGateway({ host: domain, port }, gateway));
    return found && { username: found.username, password: found.password };
  }

  async function refresh(): Promise<boolean> {
    const now = performance.now();
    if (asking && now - asking.since < lostAfterMs) return await asking.promise;
    const mine = { promise: ask(), since: now };
    asking = mine;
    try {
      return await mine.promise;
    } finally {
      if (asking === mine) asking = undefined;
    }
  }

  return {
    known,
    refresh,
    async find(gateway) {
      reading ??= read();
      await reading;
      for (let call = 1; call <= 2 && !known(gateway); call += 1)
        if (await withTimeout(refresh(), serviceTimeoutMs / 2, false)) break;
      return known(gateway);
    },
    async forget() {
      current = undefined;
      reading = Promise.resolve();
      await inKeychain(() => keychain.remove(account()));
    },
  };
}
