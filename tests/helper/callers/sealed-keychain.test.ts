import { cp, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { openKeptFile } from '../../../src/main/preferences/kept-file.ts';
import { createSettings } from '../../../src/main/preferences/settings.ts';
import { createFallbackKeychain } from '../../../src/main/session/fallback-keychain.ts';
import { createSealedKeychain } from '../../../src/main/tunnel/sealed-keychain.ts';
import { createSessionStore } from '../../../src/main/session/session-store.ts';
import { createTestFile } from '../../unit/main/support/key-value-file.ts';
import { createTestKeychain, type TestKeychain } from '../../unit/main/support/keychain.ts';
import { createTestLog } from '../../unit/main/support/log.ts';
import { socketOf } from '../support/callers/attach-as.ts';
import { createHelperLab, type HelperLab } from '../support/helper-lab.ts';
import { isExhaustive } from '../../lab/runs/thoroughness.ts';

/** Debian policy §9.2.2: no account has this number. */
const otherUid = 64_954;
const args = ['--allow-user', String(otherUid)];
const deviceId = 'device-1';
const signedOut = { signedIn: false, deviceId };
const signedIn = { signedIn: true, deviceId };

let net: HelperLab;
let folder: string;

beforeAll(async () => {
  net = await createHelperLab({ gateway: false });
  await net.start({ args });
});

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'waymaker-sealed-'));
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

afterAll(async () => {
  await net[Symbol.asyncDispose]();
});

const noKeychain = (): TestKeychain => Object.assign(createTestKeychain(), { mode: 'throws' as const });

/** One start of the daemon, as far as its session goes; root's, unless `socketPath` is another user's. */
function start(changes: { system?: TestKeychain; socketPath?: string; files?: string } = {}) {
  const { system = noKeychain(), socketPath = net.socket, files = folder } = changes;
  const { log, text } = createTestLog();
  const file = openKeptFile(files, 'sealed-secrets');
  const sealed = createSealedKeychain({ file, socketPath, version: '0', log, waitMs: 20_000 });
  const keychain = createFallbackKeychain(system, sealed);
  const settings = createSettings(createTestFile());
  return { store: createSessionStore({ deviceId, keychain, settings, log }), log: text };
}

async function signInOnce(): Promise<void> {
  const { store, log } = start();
  expect(await store.load()).toEqual({ ...signedOut, persistence: 'helper' });
  expect(await store.signIn('token-1')).toEqual({ ...signedIn, persistence: 'helper' });
  expect(log()).not.toContain('token-1');
}

test('without a keychain the session outlives a restart of the daemon and of the helper', async () => {
  await signInOnce();
  await net.end('SIGKILL');
  await net.start({ args });
  const { store } = start();
  expect(await store.load()).toEqual({ ...signedIn, persistence: 'helper' });
  expect(store.credentials().token).toBe('token-1');
  await store.signOut();
  expect(await start().store.load()).toEqual({ ...signedOut, persistence: 'helper' });
});

test('the file has no token, is readable only by its user, and a copy opens for nobody else', async () => {
  await signInOnce();
  for (const name of await readdir(folder)) {
    expect(await readFile(path.join(folder, name), 'utf8')).not.toContain('token-1');
    expect((await stat(path.join(folder, name))).mode & 0o777).toBe(0o600);
  }
  const copy = `${folder}-copy`;
  await cp(folder, copy, { recursive: true });
  const thief = start({ files: copy, socketPath: await socketOf(net, otherUid) });
  expect(await thief.store.load()).toEqual({ ...signedOut, persistence: 'helper' });
  expect(await thief.store.signIn('token-2')).toEqual({ ...signedIn, persistence: 'helper' });
  // Positive control: the same copy opens for its user, as long as it is not written over.
  expect(await start().store.load()).toMatchObject(signedIn);
  await rm(copy, { recursive: true });
});

if (isExhaustive)
  test('a lost key means that the user has to sign in again', async () => {
    await signInOnce();
    await rm(path.join(net.stateDirectory, 'sealing-key'));
    await net.end('SIGKILL');
    await net.start({ args });
    const { store, log } = start();
    expect(await store.load()).toEqual({ ...signedOut, persistence: 'helper' });
    expect(log()).toContain('cannot be opened any more');
    await store.signIn('token-2');
    expect(await start().store.load()).toEqual({ ...signedIn, persistence: 'helper' });
  });

if (isExhaustive)
  test('a daemon that starts before the helper is signed in as soon as the helper is there', async () => {
    await signInOnce();
    await net.end('SIGTERM');
    const { store } = start();
    const known = new Promise<object>((resolve) => store.onChange(resolve));
    expect(await store.load()).toEqual({ ...signedOut, persistence: 'memory' });
    await net.start({ args });
    expect(await known).toEqual({ ...signedIn, persistence: 'helper' });
  });

test('without a helper, too, the session is in memory only', async () => {
  const { store } = start({ socketPath: path.join(folder, 'none.sock') });
  expect(await store.load()).toEqual({ ...signedOut, persistence: 'memory' });
  expect(await store.signIn('token-1')).toEqual({ ...signedIn, persistence: 'memory' });
  expect(await readdir(folder)).toEqual([]);
});

test('what was sealed moves into the keychain once there is one', async () => {
  await signInOnce();
  const system = createTestKeychain({ [deviceId]: 'an older token' });
  const { store } = start({ system });
  expect(await store.load()).toEqual({ ...signedIn, persistence: 'keychain' });
  expect(system.secrets.get(deviceId)).toBe('token-1');
  // It is known to be there, and asked for again.
  expect(await start().store.load()).toEqual({ ...signedOut, persistence: 'memory' });
});
