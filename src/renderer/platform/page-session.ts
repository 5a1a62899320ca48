import { checkToken } from '#shared/api/check-token.ts';
import { endToken, endTokenMs } from '#shared/api/end-token.ts';
import { createServiceClock, type ServiceClock } from '#shared/api/service-clock.ts';
import { createApiClient, type ApiClient, type ApiSession, type Fetch } from '#shared/api/client.ts';
import { createTokenRefusals, type InTurn } from '#shared/api/token-refusals.ts';
import type { User } from '#shared/entities.ts';
import type { Session } from '#shared/host/common-contract.ts';
import type { HostContract, HostImplementation } from '#shared/host/contract.ts';
import { createPageCalls } from '#shared/host/page-calls.ts';
import type { EmitHostEvent } from '#shared/host/server.ts';
import type { FollowPageEvents } from './page-events.ts';

/** Where a host inside the page stores its device id and token. */
export interface TokenStore {
  credentials(): ApiSession;
  describe(): Session;
  /** `deviceId`: the id of this device from now on. */
  keep(token: string, deviceId?: string): Promise<void> | void;
  /** `credentials` no longer has the token when this returns, nor the store when it resolves. */
  forget(): Promise<void> | void;
}

export interface PageSessionOptions {
  /** Origin of the service; empty for the page's own. */
  baseUrl: string;
  fetch: Fetch;
  deviceName: string;
  /** Whether codes are requested by a device (spec §7, `isDevice`) or by a browser. */
  isDevice: boolean;
  tokens: TokenStore;
  /** Has one page after the other sign in or out, where several have these tokens. */
  inTurn?: InTurn | undefined;
  /** Deletes everything else about the user: cached replies, and the tunnel if there is one. */
  forgetUser(): Promise<void> | void;
  followEvents: FollowPageEvents;
  emit: EmitHostEvent<HostContract>;
}

export interface PageSession extends Pick<HostImplementation, 'api' | 'session' | 'clock'> {
  client: ApiClient;
  serviceClock: ServiceClock;
  /**
   * The signed-in user may have changed in another page of this browser; `isEmptied`: everything in its storage is
   * gone, and new data may not be there yet. The page is notified. False if the page could miss what happened to its
   * user, because another one may have taken their place without a gap: then it has to reload.
   */
  changed(how: { isEmptied: boolean }): boolean;
}

/** The groups `api`, `session` and `clock` of hosts that call the service from the page: web and webview. */
export function createPageSession(options: PageSessionOptions): PageSession {
  const { tokens, emit } = options;
  const service = { baseUrl: options.baseUrl, fetch: options.fetch, deviceName: options.deviceName };
  const serviceClock = createServiceClock();
  serviceClock.onChange((offset) => emit('clock.changed', offset));
  const session = () => tokens.credentials();
  const refusals = createTokenRefusals({ session, endSession: () => signOut(), inTurn: options.inTurn });
  const client = createApiClient({
    ...service,
    clock: serviceClock,
    session,
    endSession: () => refusals.refused(),
  });

  const events = options.followEvents({
    baseUrl: options.baseUrl,
    session,
    onFollowed: () => emit('account.followed', undefined),
    onChanges: (changes) => emit('account.changed', [...changes]),
    onSignedOut: () => void refusals.refused(),
  });

  /** Where the last code was mailed. */
  let mailed: { authId: string; email: string } | undefined;
  /** The session that this page knows of, once it has asked. */
  let known: Pick<ApiSession, 'token'> | undefined;

  function tell(): Session {
    const now = tokens.describe();
    known = tokens.credentials();
    emit('session.changed', now);
    events.restart();
    return now;
  }
  async function signIn(token: string, deviceId?: string): Promise<Session> {
    await tokens.keep(token, deviceId);
    return tell();
  }
  async function signOut(): Promise<Session> {
    const forgotten = tokens.forget();
    await options.forgetUser();
    await forgotten;
    return tell();
  }

  /** The token is forgotten at once, and the service has ended it, if it can be reached. */
  async function signOutEverywhere(): Promise<Session> {
    const ended = tokens.credentials();
    const signedOut = signOut();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const tooLate = new Promise((resolve) => {
      timer = setTimeout(resolve, endTokenMs);
    });
    await Promise.race([endToken(service, ended), tooLate]);
    clearTimeout(timer);
    return signedOut;
  }

  /** Whether this code, and the token that it has led to, are the user's own. */
  async function isFor(user: User, authId: string, token: string): Promise<boolean> {
    // The service ignores the case of an address.
    if (mailed?.authId === authId) return mailed.email.toLowerCase() === user.email.toLowerCase();
    // An earlier page had it mailed.
    const now = await checkToken(service, { deviceId: tokens.credentials().deviceId, token });
    return now.ok && now.data.email === user.email;
  }

  return {
    client,
    changed({ isEmptied }) {
      const before = known?.token;
      if (before !== undefined) {
        // Reading the device's id would create one, and overwrite that of a user who signs in at the same time.
        if (isEmptied) return false;
        const { token } = tokens.credentials();
        if (token !== undefined && token !== before) return false;
      }
      tell();
      return true;
    },
    api: createPageCalls(client),
    serviceClock,
    clock: { offset: () => serviceClock.offset() },
    session: {
      get() {
        known ??= tokens.credentials();
        return tokens.describe();
      },
      async requestCode({ email, language }) {
        const result = await client.call('getAuthCode', { body: { email }, language });
        if (result.ok) mailed = { authId: result.data.authId, email };
        return result;
      },
      verifyCode: ({ authId, authCode, language }) =>
        refusals.during(async () => {
          const { deviceId, token } = tokens.credentials();
          // Afterwards, this token may have ended.
          const owner = token === undefined ? undefined : await checkToken(service, { deviceId, token });
          // The code can still be used.
          if (owner?.ok === false && ['network', 'service'].includes(owner.failure.kind)) return owner;
          const body = { authId, authCode, isDevice: options.isDevice };
          const result = await client.call('auth', { body, language });
          if (!result.ok) return result;
          // Who signs in again keeps everything.
          if (owner && !(owner.ok && (await isFor(owner.data, authId, result.data.token)))) {
            await signOutEverywhere();
          }
          return { ok: true, data: await signIn(result.data.token) };
        }),
      async tokenOwner({ deviceId, token, language }) {
        const user = await checkToken(service, { deviceId, token, language });
        return user.ok ? { ok: true, data: { email: user.data.email } } : user;
      },
      async signInWithToken({ deviceId, token, language }) {
        const user = await checkToken(service, { deviceId, token, language });
        if (!user.ok) return user;
        const now = tokens.credentials();
        if (now.deviceId === deviceId && now.token === token) return { ok: true, data: tokens.describe() };
        if (now.token !== undefined) await signOut();
        else await options.forgetUser();
        return { ok: true, data: await signIn(token, deviceId) };
      },
      async signOut({ by }) {
        if (by === 'user') return await signOutEverywhere();
        await refusals.refused();
        return tokens.describe();
      },
    },
  };
}
