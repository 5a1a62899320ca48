import type { ApiClient, ApiSession } from '#shared/api/client.ts';
import { apiCalls } from '#shared/api/calls.ts';
import { endTokenMs } from '#shared/api/end-token.ts';
import { apiCode, type ApiResult } from '#shared/api/result.ts';
import type { User } from '#shared/entities.ts';
import type { SignedOutBy } from '#shared/host/common-contract.ts';
import type { HostImplementation } from '#shared/host/contract.ts';
import type { CallForUser } from './call-for-user.ts';
import { withTimeout } from '../with-timeout.ts';
import type { SessionStore } from './session-store.ts';

export interface SessionHostOptions {
  client: ApiClient;
  store: SessionStore;
  /** Asks the service whose token this is. */
  checkToken(credentials: {
    deviceId: string;
    token: string;
    language?: string | undefined;
  }): Promise<ApiResult<User>>;
  /** Ends a token at the service; without a token, it does nothing. */
  endToken(session: ApiSession): Promise<void>;
  signOut(by: SignedOutBy): Promise<void>;
  callForUser: CallForUser;
}

/** The host contract's `session` group; the token never leaves main. */
export function createSessionHost(options: SessionHostOptions): HostImplementation['session'] {
  const { client, store } = options;
  return {
    get: () => store.load(),
    async requestCode({ email, language }) {
      // A session that is read during the call would take its answer for another session's.
      await store.load();
      return await options.callForUser(() =>
        client.call('getAuthCode', { body: { email }, ...(language && { language }) }),
      );
    },
    async verifyCode({ authId, authCode, language }) {
      await store.load();
      const body = apiCalls.auth.body.safeParse({ authId, authCode, isDevice: true });
      if (!body.success) {
        return { ok: false, failure: { kind: 'service', code: apiCode.invalid, msg: '' } };
      }
      const result = await options.callForUser(() =>
        client.call('auth', { body: body.data, ...(language && { language }) }),
      );
      return result.ok ? { ok: true, data: await store.signIn(result.data.token) } : result;
    },
    async tokenOwner(device) {
      const user = await options.checkToken(device);
      return user.ok ? { ok: true, data: { email: user.data.email } } : user;
    },
    async signInWithToken({ deviceId, token, language }) {
      await store.load();
      const user = await options.checkToken({ deviceId, token, language });
      if (!user.ok) return user;
      const now = store.credentials();
      if (now.deviceId === deviceId && now.token === token) return { ok: true, data: store.session() };
      await options.signOut('user');
      return { ok: true, data: await store.signIn(token, deviceId) };
    },
    async signOut({ by }) {
      // The keychain may not have been read yet.
      if (by === 'user') await store.load();
      // Begun before the tunnel ends, after which the service may not be reachable.
      const ended = by === 'user' ? options.endToken(store.credentials()) : Promise.resolve();
      await Promise.all([options.signOut(by), withTimeout(ended, endTokenMs, undefined)]);
      return store.session();
    },
  };
}
