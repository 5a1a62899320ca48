import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Host } from '#shared/host/contract.ts';
import { createTestDesktop, token, user, type TestDesktop } from '../support/desktop.ts';
import { createTestFile } from '../support/key-value-file.ts';
import { createTestKeychain } from '../support/keychain.ts';

let desktop: TestDesktop;
beforeEach(async () => {
  desktop = await createTestDesktop();
});
afterEach(async () => {
  await desktop[Symbol.asyncDispose]();
});

test('signing out forgets the groups and certificates for gateways, and their keys', async () => {
  const gateways = {
    'gw.example.net': { group: { value: 'sales', label: 'Sales' }, certificate: 'pem', agent: 'compatible' },
  };
  const keychain = createTestKeychain({ 'certificate key gw.example.net': 'PRIVATE KEY' });
  const app = desktop.startApp({ keychain, settings: createTestFile({ gateways }) });
  await desktop.signIn(app.host);
  const address = 'anyconnect://gw.example.net:443';
  expect(await app.host.gatewayGroup.get({ address })).toBe('Sales');
  await app.host.session.signOut({ by: 'user' });
  expect(await app.host.gatewayGroup.get({ address })).toBeNull();
  expect(app.settings.content.get('gateways')).toEqual({ 'gw.example.net': { agent: 'compatible' } });
  expect(keychain.secrets.size).toBe(0);
});

test('with a code while somebody is signed in: they are signed out first, also at the service, and their tunnel ends', async () => {
  const app = desktop.startApp();
  await desktop.signIn(app.host);
  const { deviceId } = await app.host.session.get();
  await app.host.storage.set({ key: 'user', value: '{}' });
  await app.host.servers.setFavourite({ serverId: 's1', isFavourite: true });
  desktop.helper.set({
    state: 'connecting',
    gateway: { host: 'gw.example.net', port: 443 },
    attempt: 1,
    phase: 'handshaking',
  });
  await vi.waitFor(async () => expect((await app.host.tunnel.snapshot()).state).toBe('connecting'));
  desktop.reply = ({ url }) => ({
    body: { code: 0, msg: '', data: url === '/api/auth' ? { token: 'other-s3cret' } : null },
  });
  const session = { signedIn: true, deviceId, persistence: 'keychain' };
  const result = await app.host.session.verifyCode({ authId: 'b', authCode: '654321' });
  expect(result).toEqual({ ok: true, data: session });
  expect(app.keychain.secrets).toEqual(new Map([[deviceId, 'other-s3cret']]));
  expect(app.pageFile.content.size).toBe(0);
  expect(await app.host.servers.kept()).toEqual({ favourites: [], recents: [] });
  expect(desktop.received).toContainEqual(
    expect.objectContaining({
      path: `/api/devices/${deviceId}`,
      authorization: `Basic ${btoa(`${deviceId}:${token}`)}`,
    }),
  );
  // Not by the user: a kill switch keeps traffic blocked.
  expect(desktop.helper.calls).toContainEqual({
    method: 'disconnect',
    params: { reason: 'session-ended' },
  });
  expect(app.events.filter(([channel]) => channel === 'session.changed').slice(-2)).toEqual([
    ['session.changed', { ...session, signedIn: false }],
    ['session.changed', session],
  ]);
});

/** As a page or a command does it, with the code that was mailed. */
async function signInAs(host: Host, email: string) {
  desktop.reply = ({ url }) => ({
    body: { code: 0, msg: '', data: url === '/api/get-auth-code' ? { authId: email } : { token } },
  });
  await host.session.requestCode({ email });
  return await host.session.verifyCode({ authId: email, authCode: '123456' });
}

/** A tunnel that whoever is signed in has begun. */
async function connected(host: Host) {
  desktop.helper.set({
    state: 'connecting',
    gateway: { host: 'gw.example.net', port: 443 },
    attempt: 1,
    phase: 'handshaking',
  });
  await vi.waitFor(async () => expect((await host.tunnel.snapshot()).state).toBe('connecting'));
}
const ends = () => desktop.helper.calls.filter(({ method }) => method === 'disconnect');

test('whoever signs in again as the same person stays signed in until then, and keeps everything', async () => {
  const { host, keychain, events } = desktop.startApp();
  await signInAs(host, 'ada@example.com');
  await host.servers.setFavourite({ serverId: 's1', isFavourite: true });
  const { deviceId } = await host.session.get();
  await connected(host);
  events.splice(0);
  const ordinary = desktop.reply;
  desktop.reply = ({ url }) =>
    url === '/api/auth' ? { body: { code: 422, msg: 'wrong', data: null } } : ordinary({ url } as never);
  await host.session.requestCode({ email: 'Ada@example.com' });
  const authId = 'ada@example.com';
  expect(await host.session.verifyCode({ authId, authCode: '654321' })).toMatchObject({ ok: false });
  expect(await host.session.get()).toMatchObject({ signedIn: true });
  desktop.reply = ({ url }) => ({
    body: { code: 0, msg: '', data: url === '/api/auth' ? { token: 'new-s3cret' } : null },
  });
  expect(await host.session.verifyCode({ authId, authCode: '123456' })).toMatchObject({ ok: true });
  expect(keychain.secrets.get(deviceId)).toBe('new-s3cret');
  expect((await host.servers.kept()).favourites).toEqual(['s1']);
  expect(events.filter(([, now]) => (now as { signedIn?: boolean }).signedIn === false)).toEqual([]);
  expect(ends()).toEqual([]);
});

test('whoever signs in again is not signed out where their earlier token ends before the new one is here', async () => {
  const { host, keychain, events } = desktop.startApp();
  await signInAs(host, 'ada@example.com');
  await host.servers.setFavourite({ serverId: 's1', isFavourite: true });
  const { deviceId } = await host.session.get();
  events.splice(0);
  let other: Promise<unknown> | undefined;
  desktop.reply = async ({ url }) => {
    if (url !== '/api/auth') return { status: 401, body: { code: 401, msg: '', data: null } };
    other = host.api.call({ name: 'myService' });
    // Whoever acts on the refusal at once does so by now.
    await Promise.race([other, setTimeout(500)]);
    return { body: { code: 0, msg: '', data: { token: 'new-s3cret' } } };
  };
  const authId = 'ada@example.com';
  expect(await host.session.verifyCode({ authId, authCode: '123456' })).toMatchObject({ ok: true });
  expect(await other).toMatchObject({ ok: false });
  expect(await host.session.get()).toMatchObject({ signedIn: true });
  expect(keychain.secrets.get(deviceId)).toBe('new-s3cret');
  expect((await host.servers.kept()).favourites).toEqual(['s1']);
  expect(events.filter(([, now]) => (now as { signedIn?: boolean }).signedIn === false)).toEqual([]);
});

test('a refusal of the token that comes while a wrong code is checked ends the session after that', async () => {
  const { host } = desktop.startApp();
  await signInAs(host, 'ada@example.com');
  let other: Promise<unknown> | undefined;
  desktop.reply = async ({ url }) => {
    if (url !== '/api/auth') return { status: 401, body: { code: 401, msg: '', data: null } };
    other = host.api.call({ name: 'myService' });
    await Promise.race([other, setTimeout(500)]);
    return { body: { code: 422, msg: 'wrong', data: null } };
  };
  const authId = 'ada@example.com';
  const wrong = { kind: 'service', code: 422, msg: 'wrong' };
  expect(await host.session.verifyCode({ authId, authCode: '654321' })).toEqual({
    ok: false,
    failure: wrong,
  });
  expect(await other).toEqual({ ok: false, failure: { kind: 'unauthorized' } });
  expect(await host.session.get()).toMatchObject({ signedIn: false });
});

test('whoever signs in again with a code that an earlier process had mailed keeps everything, too', async () => {
  const files = { keychain: createTestKeychain(), settings: createTestFile(), plan: createTestFile() };
  const before = desktop.startApp(files);
  await signInAs(before.host, user.email);
  await before.host.servers.setFavourite({ serverId: 's1', isFavourite: true });
  before.close();
  const { host } = desktop.startApp(files);
  expect(await host.session.get()).toMatchObject({ signedIn: true });
  desktop.reply = ({ url }) => ({
    body: { code: 0, msg: '', data: url === '/api/auth' ? { token: 'new-s3cret' } : user },
  });
  expect(await host.session.verifyCode({ authId: 'a', authCode: '123456' })).toMatchObject({ ok: true });
  expect((await host.servers.kept()).favourites).toEqual(['s1']);
});

test('whoever signs in again keeps everything where it had not been asked who they are', async () => {
  const { host } = desktop.startApp();
  await desktop.signIn(host);
  await host.servers.setFavourite({ serverId: 's1', isFavourite: true });
  const answers: Record<string, unknown> = {
    '/api/get-auth-code': { authId: 'b' },
    '/api/auth': { token: 'new-s3cret' },
  };
  desktop.reply = ({ url = '' }) => ({ body: { code: 0, msg: '', data: answers[url] ?? user } });
  await host.session.requestCode({ email: user.email });
  expect(await host.session.verifyCode({ authId: 'b', authCode: '123456' })).toMatchObject({ ok: true });
  expect((await host.servers.kept()).favourites).toEqual(['s1']);
});

describe('after a session that was only kept in memory', () => {
  /** The app, used and ended; then started again, where nobody is signed in. */
  async function startAgain() {
    const keychain = createTestKeychain();
    keychain.mode = 'throws';
    const files = { keychain, settings: createTestFile(), plan: createTestFile() };
    const before = desktop.startApp(files);
    await signInAs(before.host, 'ada@example.com');
    await before.host.servers.setFavourite({ serverId: 's1', isFavourite: true });
    before.close();
    const { host } = desktop.startApp(files);
    expect((await host.session.get()).signedIn).toBe(false);
    return host;
  }

  test('another account gets nothing of the one before, nor its tunnel', async () => {
    const host = await startAgain();
    await connected(host);
    expect(await signInAs(host, 'bob@example.com')).toMatchObject({ ok: true, data: { signedIn: true } });
    expect(await host.servers.kept()).toEqual({ favourites: [], recents: [] });
    expect(ends()).toEqual([{ method: 'disconnect', params: { reason: 'session-ended' } }]);
  });

  test('whoever signs in again finds everything as it was, and the tunnel stays up', async () => {
    const host = await startAgain();
    await connected(host);
    expect(await signInAs(host, 'Ada@Example.com')).toMatchObject({ ok: true, data: { signedIn: true } });
    expect(await host.servers.kept()).toEqual({ favourites: ['s1'], recents: [] });
    expect(ends()).toEqual([]);
  });

  test('what is asked of the service before anybody signs in ends nothing', async () => {
    const host = await startAgain();
    await connected(host);
    desktop.reply = () => ({ status: 401, body: { code: 401, msg: '', data: null } });
    const failure = { kind: 'unauthorized' };
    expect(await host.preferences.set({ routing: 'automatic' })).toMatchObject({ ok: false, failure });
    expect((await host.servers.kept()).favourites).toEqual(['s1']);
    expect(ends()).toEqual([]);
  });

  test('who signs in with a code that an earlier process had mailed is not known to be another account', async () => {
    const host = await startAgain();
    expect(await desktop.signIn(host)).toMatchObject({ ok: true });
    expect((await host.servers.kept()).favourites).toEqual(['s1']);
  });
});
