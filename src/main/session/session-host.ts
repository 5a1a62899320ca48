import type { ApiClient, ApiSession } from '#shared/api/client.ts';
import { apiCalls } from '#shared/api/calls.ts';
import { endTokenMs } from '#shared/api/end-token.ts';
import { apiCode, type ApiResult } from '#shared/api/result.ts';
import type { TokenRefusals } from '#shared/api/token-refusals.ts';
import type { User } from '#shared/entities.ts';
import type { SignedOutBy } from '#shared/host/common-contract.ts';
import type { HostImplementation } from '#shared/host/contract.ts';
import type { AccountOwner } from './account-owner.ts';
import type { CallForUser } from './call-for-user.ts';
import { withTimeout } from '../with-timeout.ts';
import type { SessionStore } from './session-store.ts';

export interface SessionHostOptions {
  client: ApiClient;
  store: SessionStore;
  refusals: TokenRefusals;
  owner: AccountOwner;
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
  const { client, store, owner } = options;
  /** Where the last code was mailed. */
  let mailed: { authId: string; email: string } | undefined;

  /** Signs out here and, if it can be reached, at the service. */
  async function signOutEverywhere(by: SignedOutBy): Promise<void> {
    // Begun before the tunnel ends, after which the service may not be reachable.
    const ended = options.endToken(store.credentials());
    await Promise.all([options.signOut(by), withTimeout(ended, endTokenMs, undefined)]);
  }

  /** Of whoever is signed in, before the service ends their token: with a code of an earlier process, nobody asked. */
  async function learnOwner(): Promise<void> {
    const { deviceId, token } = store.credentials();
    if (token === undefined || owner.isKnown()) return;
    const user = await options.checkToken({ deviceId, token });
    if (user.ok) owner.set(user.data.email);
  }

  /** Whom this new token signs in, if that is known. */
  async function ownerOf(authId: string, token: string): Promise<string | undefined> {
    if (mailed?.authId === authId) return mailed.email;
    // An earlier process had the code mailed.
    if (!store.session().signedIn) return undefined;
    const user = await options.checkToken({ deviceId: store.credentials().deviceId, token });
    return user.ok ? user.data.email : undefined;
  }

  return {
    get: () => store.load(),
    async requestCode({ email, language }) {
      // A session that is read during the call would take its answer for another session's.
      await store.load();
      const result = await options.callForUser(() =>
        client.call('getAuthCode', { body: { email }, ...(language && { language }) }),
      );
      if (result.ok) mailed = { authId: result.data.authId, email };
      return result;
    },
    async verifyCode({ authId, authCode, language }) {
      await store.load();
      const body = apiCalls.auth.body.safeParse({ authId, authCode, isDevice: true });
      if (!body.success) {
        return { ok: false, failure: { kind: 'service', code: apiCode.invalid, msg: '' } };
      }
      return await options.refusals.during(async () => {
        await learnOwner();
        const result = await options.callForUser(() =>
          client.call('auth', { body: body.data, ...(language && { language }) }),
        );
        if (!result.ok) return result;
        const email = await ownerOf(authId, result.data.token);
        const isOwner = email === undefined ? undefined : owner.is(email);
        // Who signs in again keeps everything; their earlier token has ended with this sign-in. Otherwise, nobody has
        // said that the tunnel may end, so a kill switch keeps traffic blocked.
        if (store.session().signedIn && isOwner !== true) await signOutEverywhere('service');
        else if (isOwner === false) await options.signOut('service');
        owner.set(email);
        return { ok: true, data: await store.signIn(result.data.token) };
      });
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
      owner.set(user.data.email);
      return { ok: true, data: await store.signIn(token, deviceId) };
    },
    async signOut({ by }) {
      if (by === 'user') {
        // The keychain may not have been read yet.
        await store.load();
        await signOutEverywhere(by);
      } else await options.refusals.refused();
      return store.session();
    },
  };
}
