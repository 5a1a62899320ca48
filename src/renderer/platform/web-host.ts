import { apiCalls } from '#shared/api/calls.ts';
import { createApiClient, type Fetch } from '#shared/api/client.ts';
import type { ApiResult } from '#shared/api/result.ts';
import type { DeviceInfo } from '#shared/entities.ts';
import type { HostContract, HostImplementation, Session } from '#shared/host/contract.ts';
import { HostRequestRefused, type EmitHostEvent } from '#shared/host/server.ts';
import { createPageStorage, type BrowserStorage } from './browser-storage.ts';
import { createWebSession } from './web-session.ts';

export interface WebHostOptions {
  /** Origin of the service; empty for the page's own. */
  baseUrl: string;
  fetch: Fetch;
  storage: BrowserStorage;
  device: DeviceInfo;
  newDeviceId: () => string;
  openExternal: (url: string) => boolean;
  emit: EmitHostEvent<HostContract>;
}

const externalProtocols = ['https:', 'http:', 'mailto:'];

/** The web console's host: the API over `fetch`, session and storage in the browser, and no tunnel. */
export function createWebHost(options: WebHostOptions): HostImplementation {
  const { emit, device } = options;
  const pageStorage = createPageStorage(options.storage);
  const session = createWebSession(options.storage, options.newDeviceId);
  const api = createApiClient({
    baseUrl: options.baseUrl,
    fetch: options.fetch,
    deviceName: device.name,
    session: session.credentials,
    endSession: async () => void signOut(),
  });

  function signOut(): Session {
    session.forgetToken();
    pageStorage.clear();
    const now = session.describe();
    emit('session.changed', now);
    return now;
  }

  return {
    app: {
      describe: () => ({ kind: 'web', device, hasTunnel: false }),
      openExternal: (url) => isExternal(url) && options.openExternal(url),
    },
    api: {
      async call({ name, params, body, language }) {
        const checked = apiCalls[name].body.safeParse(body);
        if (!checked.success) throw new HostRequestRefused(`${name}: ${checked.error.message}`);
        // The contract ties body and parameters to the call's name; this request carries them untied.
        const untied = api as { call(name: string, input: object): Promise<ApiResult<unknown>> };
        return untied.call(name, { params, body: checked.data, language });
      },
    },
    session: {
      get: () => session.describe(),
      requestCode: ({ email, language }) => api.call('getAuthCode', { body: { email }, language }),
      async verifyCode({ authId, authCode, language }) {
        const body = { authId, authCode, isDevice: false };
        const result = await api.call('auth', { body, language });
        if (!result.ok) return result;
        session.keepToken(result.data.token);
        const now = session.describe();
        emit('session.changed', now);
        return { ok: true, data: now };
      },
      signOut,
    },
    storage: {
      get: (key) => pageStorage.get(key),
      set: (input) => pageStorage.set(input),
      remove: (key) => pageStorage.remove(key),
      clear: () => pageStorage.clear(),
    },
    tunnel: {
      prepare: () => null,
      connect: () => ({ ok: false, error: 'unavailable' }),
      disconnect: () => null,
      snapshot: () => ({ state: 'invalid', cause: 'tunnel-unsupported' }),
      statistics: () => null,
    },
  };
}

function isExternal(url: string): boolean {
  return URL.canParse(url) && externalProtocols.includes(new URL(url).protocol);
}
