import { checkToken } from '#shared/api/check-token.ts';
import { createApiClient, type ApiClient, type ApiSession, type Fetch } from '#shared/api/client.ts';
import type { HostContract, HostImplementation, Session } from '#shared/host/contract.ts';
import { createPageCalls } from '#shared/host/page-calls.ts';
import type { EmitHostEvent } from '#shared/host/server.ts';
import type { FollowPageEvents } from './page-events.ts';

/** Where a host that lives in the page keeps its device id and token. */
export interface TokenStore {
  credentials(): ApiSession;
  describe(): Session;
  /** `deviceId`: this device is another one from now on. */
  keep(token: string, deviceId?: string): Promise<void> | void;
  /** The token is gone from `credentials` when this returns, and from the store when it resolves. */
  forget(): Promise<void> | void;
}

export interface PageSessionOptions {
  /** Origin of the service; empty for the page's own. */
  baseUrl: string;
  fetch: Fetch;
  deviceName: string;
  /** Whether codes are asked for by a device (spec §7, `isDevice`) or by a browser. */
  isDevice: boolean;
  tokens: TokenStore;
  /** Forgets everything else about the user: cached replies, and the tunnel if there is one. */
  forgetUser(): Promise<void> | void;
  followEvents: FollowPageEvents;
  emit: EmitHostEvent<HostContract>;
}

export interface PageSession extends Pick<HostImplementation, 'api' | 'session'> {
  client: ApiClient;
  /**
   * Who is signed in may have changed elsewhere, in another page of this browser; `isEmptied`: all that it keeps is gone,
   * and what comes instead may not be there yet. The page is told so; false if it would not see what has become of who
   * it knows, as somebody else may have taken their place without a moment between: then it has to reload.
   */
  changed(how: { isEmptied: boolean }): boolean;
}

/** The groups `api` and `session` of hosts whose service calls are made in the page: web and webview. */
export function createPageSession(options: PageSessionOptions): PageSession {
  const { tokens, emit } = options;
  const service = { baseUrl: options.baseUrl, fetch: options.fetch, deviceName: options.deviceName };
  const client = createApiClient({
    ...service,
    session: () => tokens.credentials(),
    endSession: async () => void (await signOut()),
  });

  const events = options.followEvents({
    baseUrl: options.baseUrl,
    session: () => tokens.credentials(),
    onChanges: (changes) => emit('account.changed', [...changes]),
    onSignedOut: () => void signOut(),
  });

  /** Whose session this page knows of, once it has asked. */
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

  return {
    client,
    changed({ isEmptied }) {
      const before = known?.token;
      if (before !== undefined) {
        // Asking for the device's id would make one, over that of who signs in at the same time.
        if (isEmptied) return false;
        const { token } = tokens.credentials();
        if (token !== undefined && token !== before) return false;
      }
      tell();
      return true;
    },
    api: createPageCalls(client),
    session: {
      get() {
        known ??= tokens.credentials();
        return tokens.describe();
      },
      requestCode: ({ email, language }) => client.call('getAuthCode', { body: { email }, language }),
      async verifyCode({ authId, authCode, language }) {
        const body = { authId, authCode, isDevice: options.isDevice };
        const result = await client.call('auth', { body, language });
        return result.ok ? { ok: true, data: await signIn(result.data.token) } : result;
      },
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
      signOut,
    },
  };
}
