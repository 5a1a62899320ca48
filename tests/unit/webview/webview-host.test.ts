import { beforeEach, describe, expect, test } from 'vitest';
import { createTestPhone, trackIntervals, ours, user, type TestPhone } from './test-phone.ts';

let phone: TestPhone;
beforeEach(() => {
  phone = createTestPhone();
  return trackIntervals();
});

describe('the session', () => {
  test('lives in the app’s storage: device id at once, token after signing in, both found by the next page', async () => {
    const host = await phone.openPage();
    expect(phone.app.storage.get('deviceId')).toBe(ours);
    await phone.signIn(host);
    expect(phone.app.storage.get('token')).toBe('secret');
    expect(phone.sent[0]).toMatchObject({
      url: '/api/auth',
      body: { isDevice: true, deviceId: ours, deviceName: 'iPhone' },
    });
    const next = await phone.openPage();
    expect(await next.session.get()).toEqual({ signedIn: true, deviceId: ours, persistence: 'keychain' });
    await next.api.call({ name: 'userInfo' });
    expect(phone.sent.at(-1)?.authorization).toBe(`Basic ${btoa(`${ours}:secret`)}`);
  });

  test('ended by a 401 leaves nothing but the device id, and no tunnel', async () => {
    const host = await phone.openPage();
    await phone.signIn(host);
    await host.storage.set({ key: 'user', value: '{}' });
    await host.tunnel.connect({ address: 'anyconnect://gw.example.net:443' });
    phone.reply = { code: 401, data: null };
    expect(await host.api.call({ name: 'myService' })).toEqual({
      ok: false,
      failure: { kind: 'unauthorized' },
    });
    expect(Object.fromEntries(phone.app.storage)).toEqual({ deviceId: ours });
    expect(phone.app.state()).toEqual({ state: 'disconnected' });
    expect(phone.sessions.at(-1)?.signedIn).toBe(false);
  });

  test('taken over from another device, with its id', async () => {
    const theirs = '0f8fad5b-d9cb-469f-a165-70867728950e';
    const host = await phone.openPage();
    await phone.signIn(host);
    await host.session.signInWithToken({ deviceId: theirs, token: 'other' });
    expect(Object.fromEntries(phone.app.storage)).toEqual({ deviceId: theirs, token: 'other' });
    expect(phone.sessions.map(({ signedIn, deviceId }) => [signedIn, deviceId])).toEqual([
      [true, ours],
      [false, ours],
      [true, theirs],
    ]);
  });

  test('by a code while somebody is signed in signs them out first, and ends their tunnel', async () => {
    const host = await phone.openPage();
    await phone.signIn(host);
    await host.storage.set({ key: 'user', value: '{}' });
    await host.tunnel.connect({ address: 'anyconnect://gw.example.net:443' });
    await phone.signIn(host);
    expect(phone.sent.at(-1)).toMatchObject({ url: `/api/devices/${ours}` });
    expect(phone.app.state()).toEqual({ state: 'disconnected' });
    expect(phone.sessions.map(({ signedIn }) => signedIn)).toEqual([true, false, true]);
    expect(Object.fromEntries(phone.app.storage)).toEqual({ deviceId: ours, token: 'secret' });
  });

  test('by a code of the same account keeps everything but the passwords of gateways', async () => {
    const host = await phone.openPage();
    await phone.signIn(host);
    await host.storage.set({ key: 'user', value: '{}' });
    const server = { domain: 'gw.example.net', port: 443, username: ours };
    phone.listed.set('/api/gateway-logins', { items: [{ ...server, password: 'of the first' }] });
    const address = 'anyconnect://gw.example.net:443';
    await host.tunnel.connect({ address });
    phone.app.become({ state: 'disconnected', reason: 'sign-in-refused' });
    expect(await host.tunnel.snapshot()).toEqual({ state: 'disconnected', reason: 'sign-in-refused' });

    phone.listed.set('/api/user-info', user);
    phone.listed.set('/api/gateway-logins', { items: [{ ...server, password: 'of the second' }] });
    phone.reply = { code: 0, data: { token: 'new' } };
    expect(await host.session.verifyCode({ authId: 'id', authCode: '123456' })).toMatchObject({ ok: true });
    expect(phone.sessions.map(({ signedIn }) => signedIn)).toEqual([true, true]);
    await expect
      .poll(() => Object.fromEntries(phone.app.storage))
      .toMatchObject({ deviceId: ours, token: 'new', user: '{}' });
    expect([...phone.app.storage.keys()]).not.toContain('gatewayLogins');
    // It was about the first sign-in.
    expect(await host.tunnel.snapshot()).toEqual({ state: 'disconnected' });
    await host.tunnel.connect({ address });
    expect(phone.app.connects.map(({ login }) => login?.password)).toEqual(['of the first', 'of the second']);
    phone.app.become({ state: 'disconnected', reason: 'sign-in-refused' });
    expect(await host.tunnel.snapshot()).toEqual({ state: 'disconnected', reason: 'sign-in-refused' });
  });

  test('by a code of the same account makes what the gateway refused old news also for the next page', async () => {
    const refused = { state: 'disconnected', reason: 'sign-in-refused' } as const;
    const host = await phone.openPage();
    await phone.signIn(host);
    phone.app.become(refused);
    expect(await host.tunnel.snapshot()).toEqual(refused);
    phone.listed.set('/api/user-info', user);
    phone.reply = { code: 0, data: { token: 'new' } };
    await host.session.verifyCode({ authId: 'id', authCode: '123456' });

    const reloaded = await phone.openPage();
    const told: unknown[] = [];
    reloaded.tunnel.stateChanged((state) => told.push(state));
    expect(await reloaded.tunnel.snapshot()).toEqual({ state: 'disconnected' });
    expect(told).not.toContainEqual(refused);
    // It has tried again.
    phone.app.become({ state: 'disconnected' });
    phone.app.become(refused);
    expect(await reloaded.tunnel.snapshot()).toEqual(refused);
    expect(await (await phone.openPage()).tunnel.snapshot()).toEqual(refused);
  });

  test('in a storage that fails lasts as long as the page, and says so', async () => {
    const host = await phone.openPage();
    phone.app.storageFails = true;
    await phone.signIn(host);
    expect(await host.session.get()).toEqual({ signedIn: true, deviceId: ours, persistence: 'memory' });
    expect(await host.storage.set({ key: 'user', value: 'x' })).toBe(false);
    expect(await host.storage.clear()).toBe(false);
  });

  test.each(['no-uuid', '', 'x'.repeat(40)])('a device id %j is replaced by one of ours', async (stored) => {
    phone.app.storage.set('deviceId', stored);
    expect((await (await phone.openPage()).session.get()).deviceId).toBe(ours);
  });

  test.each(['two words', '中文', 'x'.repeat(513)])('a token %j counts as none', async (stored) => {
    phone.app.storage.set('token', stored);
    expect((await (await phone.openPage()).session.get()).signedIn).toBe(false);
  });
});

test('the page’s storage neither reaches nor clears token and device id', async () => {
  const host = await phone.openPage();
  await phone.signIn(host);
  expect(await host.storage.get('token')).toBeNull();
  expect(await host.storage.set({ key: 'deviceId', value: 'x' })).toBe(false);
  expect(await host.storage.remove('token')).toBe(false);
  await host.storage.set({ key: 'user', value: 'x' });
  expect(await host.storage.clear()).toBe(true);
  expect(Object.fromEntries(phone.app.storage)).toEqual({ deviceId: ours, token: 'secret' });
});

test('links and mini-apps are checked before the app is asked', async () => {
  const asked: string[] = [];
  phone.app.handlers.app.openExternal = (link) => asked.push(link) > 0;
  phone.app.handlers.apps.open = ({ link }) => asked.push(link) > 0;
  const host = await phone.openPage();
  for (const link of [
    'javascript:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    'https://a:b@example.com/',
    'myapp://home',
  ]) {
    expect(await host.app.openExternal(link)).toBe(false);
    expect(await host.apps.open({ type: 'webkit', link, title: 'x' })).toBe(false);
    expect(await host.apps.open({ type: 'native', link, title: 'x' })).toBe(false);
  }
  expect(asked).toEqual([]);
  expect(await host.apps.open({ type: 'native', link: 'https://app.example/home', title: 'x' })).toBe(true);
  expect(asked).toEqual(['https://app.example/home']);
});

test('whatever an app says it is, it is a webview to the page', async () => {
  const honest = phone.app.handlers.app.describe;
  phone.app.handlers.app.describe = async () => ({ ...(await honest(undefined)), kind: 'desktop' });
  expect((await (await phone.openPage()).app.describe()).kind).toBe('webview');
});
