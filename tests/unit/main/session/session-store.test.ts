import { expect, test, vi } from 'vitest';
import { createSessionStore } from '../../../../src/main/session/session-store.ts';
import { createSettings } from '../../../../src/main/preferences/settings.ts';
import { createTestFile } from '../support/key-value-file.ts';
import { createTestKeychain, type TestKeychain } from '../support/keychain.ts';
import { createTestLog } from '../support/log.ts';

const deviceId = 'device-1';
const signedOut = { signedIn: false, deviceId };
const signedIn = { signedIn: true, deviceId };

function setUp(keychain: TestKeychain, file = createTestFile()) {
  const { log, text } = createTestLog();
  const store = createSessionStore({
    deviceId,
    keychain,
    settings: createSettings(file),
    log,
    timeoutMs: 30,
  });
  const changes: object[] = [];
  store.onChange((session) => changes.push(session));
  return { store, changes, file, log: text };
}

test('the token is found in the keychain at the next start', async () => {
  const keychain = createTestKeychain();
  const first = setUp(keychain);
  expect(await first.store.load()).toEqual({ ...signedOut, persistence: 'keychain' });
  expect(await first.store.signIn('token-1')).toEqual({ ...signedIn, persistence: 'keychain' });
  const next = setUp(keychain);
  expect(await next.store.load()).toEqual({ ...signedIn, persistence: 'keychain' });
  expect(next.store.credentials()).toEqual({ deviceId, token: 'token-1' });
});

test.each(['throws', 'hangs'] as const)(
  'a keychain that %s means memory only, never the disk or the log',
  async (mode) => {
    const keychain = createTestKeychain();
    keychain.mode = mode;
    const { store, file, log } = setUp(keychain);
    expect(await store.load()).toEqual({ ...signedOut, persistence: 'memory' });
    expect(await store.signIn('token-1')).toEqual({ ...signedIn, persistence: 'memory' });
    expect(store.credentials().token).toBe('token-1');
    expect(JSON.stringify([...file.content])).not.toContain('token-1');
    expect(log()).not.toContain('token-1');
  },
);

test.each(['', 'a\nb', '\0', 'x'.repeat(10_000)])(
  'what stands in the keychain and cannot be a token counts as none: %j',
  async (found) => {
    const { store } = setUp(createTestKeychain({ [deviceId]: found }));
    expect(await store.load()).toEqual({ ...signedOut, persistence: 'keychain' });
    expect(store.credentials().token).toBeUndefined();
  },
);

test('a keychain that is unlocked late still signs in, and tells', async () => {
  const keychain = createTestKeychain({ [deviceId]: 'token-1' });
  keychain.mode = 'hangs';
  const { store, changes } = setUp(keychain);
  expect(await store.load()).toEqual({ ...signedOut, persistence: 'memory' });
  keychain.unlock();
  await vi.waitFor(() => expect(changes).toEqual([{ ...signedIn, persistence: 'keychain' }]));
  expect(store.credentials().token).toBe('token-1');
});

test('what a late keychain says does not undo a sign-in made meanwhile', async () => {
  const keychain = createTestKeychain({ [deviceId]: 'old-token' });
  keychain.mode = 'hangs';
  const { store } = setUp(keychain);
  await store.load();
  await store.signIn('new-token');
  keychain.unlock();
  await vi.waitFor(() => expect(keychain.secrets.get(deviceId)).toBe('new-token'));
  expect(store.credentials().token).toBe('new-token');
});

test('signing out removes the token', async () => {
  const keychain = createTestKeychain({ [deviceId]: 'token-1' });
  const { store, changes } = setUp(keychain);
  await store.load();
  await store.signOut();
  expect(keychain.secrets.size).toBe(0);
  expect(changes.at(-1)).toMatchObject(signedOut);
});

test('a token that could not be removed is not used again, and removed when it can be', async () => {
  const keychain = createTestKeychain({ [deviceId]: 'token-1' });
  const first = setUp(keychain);
  await first.store.load();
  keychain.mode = 'throws';
  await first.store.signOut();
  expect(keychain.secrets.size).toBe(1);

  keychain.mode = 'works';
  const next = setUp(keychain, first.file);
  expect(await next.store.load()).toMatchObject(signedOut);
  expect(keychain.secrets.size).toBe(0);
  await next.store.signIn('token-2');
  expect(await setUp(keychain, first.file).store.load()).toMatchObject(signedIn);
});

test('a slow write does not come after the removal that followed it', async () => {
  const keychain = createTestKeychain();
  const { store } = setUp(keychain);
  await store.load();
  keychain.mode = 'hangs';
  const signingIn = store.signIn('token-1');
  const signingOut = store.signOut();
  await Promise.all([signingIn, signingOut]);
  keychain.unlock();
  await vi.waitFor(() => expect(keychain.secrets.size).toBe(0));
  expect(store.session()).toMatchObject(signedOut);
});
