import { expect, test, vi } from 'vitest';
import { createSessionStore } from '../../../../src/main/session/session-store.ts';
import { createSettings } from '../../../../src/main/preferences/settings.ts';
import { createTestFile } from '../support/key-value-file.ts';
import { createTestKeychain, type TestKeychain } from '../support/keychain.ts';
import { createTestLog } from '../support/log.ts';

const deviceId = 'device-1';
const signedOut = { signedIn: false, deviceId };
const signedIn = { signedIn: true, deviceId };

function setUp(keychain: TestKeychain, file = createTestFile(), { timeoutMs = 30 } = {}) {
  const { log, text } = createTestLog();
  const store = createSessionStore({
    deviceId,
    keychain,
    settings: createSettings(file),
    log,
    timeoutMs,
    pausesMs: [1, 5, 5, 5, 20],
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

/** On a machine however slow, what it says at once does not count as a user's answer. */
const failsAtOnce = { timeoutMs: 60_000 };

// As at a login that starts the app and the keychain's service at the same time.
test.each([null, true])(
  'a keychain that is not there yet when the app starts is asked again (signed out since: %s)',
  async (isRevoked) => {
    const keychain = createTestKeychain({ [deviceId]: 'token-1' });
    const file = createTestFile();
    if (isRevoked) file.set('tokenRevoked', true);
    keychain.mode = 'throws';
    const { store, changes } = setUp(keychain, file, failsAtOnce);
    expect(await store.load()).toEqual({ ...signedOut, persistence: 'memory' });
    keychain.mode = 'works';
    const found = isRevoked ? signedOut : signedIn;
    await vi.waitFor(() => expect(changes).toEqual([{ ...found, persistence: 'keychain' }]));
    expect(keychain.secrets.size).toBe(isRevoked ? 0 : 1);
  },
);

test('a keychain that comes late is not asked about a session that has begun since', async () => {
  const keychain = createTestKeychain({ [deviceId]: 'old-token' });
  keychain.mode = 'throws';
  const { store, changes } = setUp(keychain, createTestFile(), failsAtOnce);
  await store.load();
  await store.signIn('new-token');
  const controlled = createTestKeychain({ [deviceId]: 'token-1' });
  controlled.mode = 'throws';
  const control = setUp(controlled, createTestFile(), failsAtOnce);
  await control.store.load();
  keychain.mode = 'works';
  controlled.mode = 'works';
  await vi.waitFor(() => expect(control.changes, 'positive control').toHaveLength(1));
  expect(changes).toEqual([{ ...signedIn, persistence: 'memory' }]);
  expect(store.credentials().token).toBe('new-token');
});

test('a user who does not want to unlock the keychain is not asked again', async () => {
  const asked = { late: 0, early: 0 };
  const dismissed = Promise.withResolvers<null>();
  const answering = (which: keyof typeof asked, answer: Promise<null>): TestKeychain => ({
    ...createTestKeychain(),
    read() {
      asked[which] += 1;
      return answer;
    },
  });
  const { store, log } = setUp(answering('late', dismissed.promise));
  await store.load();
  dismissed.reject(new Error('the prompt was dismissed'));
  await vi.waitFor(() => expect(log()).toContain('the prompt was dismissed'));
  const missing = Promise.reject(new Error('no Secret Service'));
  const control = setUp(answering('early', missing), createTestFile(), failsAtOnce);
  await control.store.load();
  await vi.waitFor(() => expect(asked.early, 'positive control').toBe(6));
  expect(asked.late).toBe(1);
});

// dbus-daemon(1) waits two minutes for a service that it starts; a login under load takes as long.
test('a keychain whose service was too slow to start is asked again, however late that is known', async () => {
  const keychain = createTestKeychain({ [deviceId]: 'token-1' });
  const tooSlow = Promise.withResolvers<null>();
  const answers = [tooSlow.promise];
  const { store, changes } = setUp({
    ...keychain,
    read: (account) => answers.shift() ?? keychain.read(account),
  });
  expect(await store.load()).toEqual({ ...signedOut, persistence: 'memory' });
  tooSlow.reject(
    new Error(
      "Failed to activate service 'org.freedesktop.secrets': timed out (service_start_timeout=120000ms)",
    ),
  );
  await vi.waitFor(() => expect(changes).toEqual([{ ...signedIn, persistence: 'keychain' }]));
});

test('a sign-in that the keychain takes late is kept, and told', async () => {
  const keychain = createTestKeychain({ [deviceId]: 'old-token' });
  const { store, changes, file } = setUp(keychain);
  await store.load();
  keychain.mode = 'hangs';
  await store.signOut();
  expect(await store.signIn('new-token')).toEqual({ ...signedIn, persistence: 'memory' });
  keychain.unlock();
  await vi.waitFor(() => expect(changes.at(-1)).toEqual({ ...signedIn, persistence: 'keychain' }));
  expect(await setUp(keychain, file).store.load()).toEqual({ ...signedIn, persistence: 'keychain' });
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
