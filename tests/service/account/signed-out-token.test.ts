import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createApiClient } from '#shared/api/client.ts';
import { checkToken } from '#shared/api/check-token.ts';
import { endToken } from '#shared/api/end-token.ts';
import { createTokenRefusals } from '#shared/api/token-refusals.ts';
import type { Host } from '#shared/host/contract.ts';
import { createAccountOwner } from '../../../src/main/session/account-owner.ts';
import { createSessionHost } from '../../../src/main/session/session-host.ts';
import { createSessionStore } from '../../../src/main/session/session-store.ts';
import { createInPageTransport } from '../../../src/renderer/platform/in-page-transport.ts';
import { createWebClient, webContract } from '../../../src/renderer/platform/web/web-contract.ts';
import { createWebHost } from '../../../src/renderer/platform/web/web-host.ts';
import { createTestFile } from '../../unit/main/support/key-value-file.ts';
import { createTestKeychain } from '../../unit/main/support/keychain.ts';
import { createMemorySettings } from '../../unit/main/support/memory-settings.ts';
import { MemoryStorage } from '../../unit/renderer/support/memory-storage.ts';
import { fetchEnvelope, newEmail, signedIn, startTestService, type TestService } from '../test-service.ts';

let running: TestService;
beforeAll(async () => {
  running = await startTestService();
});
afterAll(() => running[Symbol.asyncDispose]());

type Known = { deviceId: string; token: string };

const device = { name: 'Web', platform: 'web', arch: '', version: '1', lang: 'en', timezone: 'UTC' } as const;

/** The console, signed in with a token; `url`: where it calls the service. */
async function consoleWith(known: Known, url = running.url): Promise<Host['session']> {
  const transport = createInPageTransport(webContract, (emit) =>
    createWebHost({
      baseUrl: url,
      fetch,
      storage: new MemoryStorage(),
      isKept: true,
      device,
      newDeviceId: () => known.deviceId,
      openExternal: () => false,
      followEvents: () => ({ restart: () => undefined }),
      emit,
    }),
  );
  const { session } = createWebClient(transport);
  return session;
}

/** The desktop app and the command line, whose token is in the keychain, and was not read yet. */
function appWith(known: Known) {
  const service = { baseUrl: running.url, fetch, deviceName: 'A computer' };
  const store = createSessionStore({
    deviceId: known.deviceId,
    keychain: createTestKeychain({ [known.deviceId]: known.token }),
    settings: createMemorySettings(),
    log: pino({ level: 'silent' }),
  });
  const endSession = async () => void (await store.signOut());
  const session = () => store.credentials();
  return createSessionHost({
    client: createApiClient({ ...service, session, endSession }),
    store,
    refusals: createTokenRefusals({ session, endSession }),
    owner: createAccountOwner(createTestFile()),
    checkToken: (credentials) => checkToken(service, credentials),
    endToken: (ended) => endToken(service, ended),
    signOut: endSession,
    callForUser: (call) => call(),
  });
}

async function knownDevice(): Promise<Known> {
  const { deviceId, token = '' } = await signedIn(running, newEmail());
  return { deviceId, token };
}

const statusWith = async ({ deviceId, token }: Known) => {
  const headers = { authorization: `Basic ${btoa(`${deviceId}:${token}`)}` };
  return (await fetchEnvelope(`${running.url}/api/user-info`, { headers })).status;
};

test('signing out in the console ends the token at the service', async () => {
  const known = await knownDevice();
  const session = await consoleWith(known);
  expect(await session.signInWithToken(known)).toMatchObject({ ok: true });
  expect(await statusWith(known)).toBe(200);
  expect(await session.signOut({ by: 'user' })).toMatchObject({ signedIn: false });
  expect(await statusWith(known)).toBe(401);
});

test('signing out in the app or on the command line ends it, too', async () => {
  const known = await knownDevice();
  expect(await statusWith(known)).toBe(200);
  expect(await appWith(known).signOut({ by: 'user' })).toMatchObject({ signedIn: false });
  expect(await statusWith(known)).toBe(401);
});

test('other devices of the account stay signed in', async () => {
  const email = newEmail();
  const [one, other] = [await signedIn(running, email), await signedIn(running, email)];
  await appWith({ deviceId: one.deviceId, token: one.token ?? '' }).signOut({ by: 'user' });
  expect(await statusWith({ deviceId: other.deviceId, token: other.token ?? '' })).toBe(200);
});

test('what the service has ended is not ended again', async () => {
  const known = await knownDevice();
  expect(await appWith(known).signOut({ by: 'service' })).toMatchObject({ signedIn: false });
  expect(await statusWith(known)).toBe(200);
});

test('a code can be requested while the kept session is still being read', async () => {
  const host = appWith(await knownDevice());
  const [asked, session] = await Promise.all([host.requestCode({ email: newEmail() }), host.get(undefined)]);
  expect(session).toMatchObject({ signedIn: true });
  expect(asked).toMatchObject({ ok: true });
});
