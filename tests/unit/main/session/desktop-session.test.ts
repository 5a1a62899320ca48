import { afterEach, beforeEach, describe, expect, test } from 'vitest';
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

const basic = (deviceId: string, password: string) => `Basic ${btoa(`${deviceId}:${password}`)}`;

describe('the session', () => {
  test('signs in, calls as this device, and the token never crosses to the page or the log', async () => {
    const app = desktop.startApp();
    const { deviceId, signedIn } = await app.host.session.get();
    expect(signedIn).toBe(false);
    expect(await desktop.signIn(app.host)).toEqual({
      ok: true,
      data: { signedIn: true, deviceId, persistence: 'keychain' },
    });
    expect(app.keychain.secrets.get(deviceId)).toBe(token);
    expect(app.events).toContainEqual([
      'session.changed',
      { signedIn: true, deviceId, persistence: 'keychain' },
    ]);
    expect(await app.host.api.call({ name: 'userInfo', language: 'zh-hans' })).toEqual({
      ok: true,
      data: user,
    });
    expect(desktop.received.at(-1)).toEqual({
      path: '/api/user-info',
      authorization: basic(deviceId, token),
      language: 'zh-hans',
    });
    expect(app.crossed()).not.toContain(token);
    expect(app.log()).not.toContain(token);
  });

  test('a call made at start waits for the keychain', async () => {
    const deviceId = crypto.randomUUID();
    const keychain = createTestKeychain({ [deviceId]: token });
    keychain.mode = 'hangs';
    const { host } = desktop.startApp({ keychain, settings: createTestFile({ deviceId }) });
    const call = host.api.call({ name: 'userInfo' });
    keychain.unlock();
    expect(await call).toMatchObject({ ok: true });
    expect(desktop.received[0]?.authorization).toBe(basic(deviceId, token));
  });

  test('without a keychain the page is told that the session lives in memory', async () => {
    const keychain = createTestKeychain();
    keychain.mode = 'throws';
    const { host, settings, pageFile } = desktop.startApp({ keychain });
    expect(await desktop.signIn(host)).toMatchObject({
      ok: true,
      data: { signedIn: true, persistence: 'memory' },
    });
    expect(JSON.stringify([...settings.content, ...pageFile.content])).not.toContain(token);
  });

  test('a refused code is the service’s own failure', async () => {
    const { host } = desktop.startApp();
    desktop.reply = () => ({ status: 422, body: { code: 422, msg: 'wrong code', data: null } });
    const wrong = await host.session.verifyCode({ authId: 'a', authCode: '000000' });
    expect(wrong).toEqual({ ok: false, failure: { kind: 'service', code: 422, msg: 'wrong code' } });
    expect(await host.session.verifyCode({ authId: 'a', authCode: '1' })).toMatchObject({ ok: false });
    expect(desktop.received).toHaveLength(1);
  });

  test('the device id is made once and kept over sign-outs and starts', async () => {
    const settings = createTestFile();
    const first = desktop.startApp({ settings });
    const { deviceId } = await first.host.session.get();
    expect(deviceId).toMatch(/^[0-9a-f-]{36}$/);
    await desktop.signIn(first.host);
    expect((await first.host.session.signOut({ by: 'user' })).deviceId).toBe(deviceId);
    expect((await desktop.startApp({ settings }).host.session.get()).deviceId).toBe(deviceId);
    expect((await desktop.startApp().host.session.get()).deviceId).not.toBe(deviceId);
  });

  test('signing out forgets the token and the page’s storage, and ends the tunnel', async () => {
    const app = desktop.startApp();
    await desktop.signIn(app.host);
    await app.host.storage.set({ key: 'cache', value: 'x' });
    expect(await app.host.session.signOut({ by: 'user' })).toMatchObject({ signedIn: false });
    expect(app.keychain.secrets.size).toBe(0);
    expect(await app.host.storage.get('cache')).toBeNull();
    expect(desktop.helper.calls.map(({ method }) => method)).toContain('disconnect');
  });

  test('with the token of another device: that device takes the place of ours', async () => {
    const app = desktop.startApp();
    const ours = (await app.host.session.get()).deviceId;
    await desktop.signIn(app.host);
    await app.host.storage.set({ key: 'user', value: '{}' });
    const theirs = 'b1b0a7fa-5b4c-4b43-8a8c-2d6ef6c26d31';
    const session = { signedIn: true, deviceId: theirs, persistence: 'keychain' };
    expect(await app.host.session.signInWithToken({ deviceId: theirs, token: 'other-s3cret' })).toEqual({
      ok: true,
      data: session,
    });
    expect(desktop.received.at(-1)).toMatchObject({
      path: '/api/user-info',
      authorization: basic(theirs, 'other-s3cret'),
    });
    expect(app.keychain.secrets).toEqual(new Map([[theirs, 'other-s3cret']]));
    expect(app.pageFile.content.size).toBe(0);
    expect(app.events.filter(([channel]) => channel === 'session.changed').slice(-2)).toEqual([
      ['session.changed', { ...session, signedIn: false, deviceId: ours }],
      ['session.changed', session],
    ]);
    const next = desktop.startApp({ keychain: app.keychain, settings: app.settings });
    expect(await next.host.session.get()).toEqual(session);
    expect(app.crossed() + app.log()).not.toContain('other-s3cret');
  });

  test('whose account a token is for is asked of the service, and changes nothing', async () => {
    const app = desktop.startApp();
    await desktop.signIn(app.host);
    const before = await app.host.session.get();
    const deviceId = 'b1b0a7fa-5b4c-4b43-8a8c-2d6ef6c26d31';
    const owner = await app.host.session.tokenOwner({ deviceId, token: 'other-s3cret' });
    expect(owner).toEqual({ ok: true, data: { email: expect.stringContaining('@') } });
    expect(desktop.received.at(-1)).toMatchObject({
      path: '/api/user-info',
      authorization: basic(deviceId, 'other-s3cret'),
    });
    expect(await app.host.session.get()).toEqual(before);
  });

  test('with a token that the service does not know: nothing changes', async () => {
    const app = desktop.startApp();
    await desktop.signIn(app.host);
    const before = await app.host.session.get();
    desktop.reply = () => ({ status: 401, body: { code: 401, msg: '', data: null } });
    const deviceId = 'b1b0a7fa-5b4c-4b43-8a8c-2d6ef6c26d31';
    expect(await app.host.session.signInWithToken({ deviceId, token: 'wrong' })).toEqual({
      ok: false,
      failure: { kind: 'unauthorized' },
    });
    expect(await app.host.session.get()).toEqual(before);
    expect(app.keychain.secrets).toEqual(new Map([[before.deviceId, token]]));
  });
});

describe('calls of the service', () => {
  test('401 ends the session', async () => {
    const app = desktop.startApp();
    await desktop.signIn(app.host);
    await app.host.storage.set({ key: 'cache', value: 'x' });
    desktop.reply = () => ({ status: 401, body: { code: 401, msg: 'gone', data: null } });
    expect(await app.host.api.call({ name: 'myService' })).toEqual({
      ok: false,
      failure: { kind: 'unauthorized' },
    });
    expect(app.events).toContainEqual(['session.changed', expect.objectContaining({ signedIn: false })]);
    expect(app.keychain.secrets.size).toBe(0);
    expect(await app.host.storage.get('cache')).toBeNull();
  });

  test('401 on user-info is for the page to judge', async () => {
    const app = desktop.startApp();
    await desktop.signIn(app.host);
    desktop.reply = () => ({ status: 401, body: { code: 401, msg: 'gone', data: null } });
    expect(await app.host.api.call({ name: 'userInfo' })).toEqual({
      ok: false,
      failure: { kind: 'unauthorized' },
    });
    expect(await app.host.session.get()).toMatchObject({ signedIn: true });
  });

  test('498 when the session changes during a call', async () => {
    const app = desktop.startApp();
    await desktop.signIn(app.host);
    let signingOut: Promise<unknown> | undefined;
    desktop.reply = () => {
      signingOut = app.host.session.signOut({ by: 'user' });
      return { body: { code: 0, msg: '', data: user } };
    };
    expect(await app.host.api.call({ name: 'userInfo' })).toEqual({
      ok: false,
      failure: { kind: 'auth-state-changed', code: 498 },
    });
    await signingOut;
  });

  test('a service that is down is a network failure', async () => {
    const { host } = desktop.startApp();
    await new Promise((resolve) => {
      desktop.service.close(resolve);
    });
    expect(await host.api.call({ name: 'basicInfo' })).toEqual({ ok: false, failure: { kind: 'network' } });
  });

  test('a redirect is not followed', async () => {
    const { host } = desktop.startApp();
    desktop.service.removeAllListeners('request');
    desktop.service.on('request', (request, response) => {
      desktop.received.push({ path: request.url, authorization: undefined, language: undefined });
      response.writeHead(302, { Location: '/elsewhere' }).end();
    });
    expect(await host.api.call({ name: 'basicInfo' })).toEqual({ ok: false, failure: { kind: 'network' } });
    expect(desktop.received).toHaveLength(1);
  });

  test.each([
    [{ name: 'pageNotes', params: { pageName: '../user-info' } }],
    [{ name: 'pageNotes', params: { pageName: '..' } }],
    [{ name: 'translations', params: { lang: 'fr' } }],
    [{ name: 'translations' }],
    [{ name: 'translations', params: { __proto__: { lang: 'en' } } }],
  ] as const)('%j is refused and not sent', async (input) => {
    const { host } = desktop.startApp();
    await expect(host.api.call(input as never)).rejects.toThrow();
    expect(desktop.received).toEqual([]);
  });

  test('calls that carry secrets are not for the page', async () => {
    const { host } = desktop.startApp();
    await expect(host.api.call({ name: 'auth' as never })).rejects.toThrow();
    expect(desktop.received).toEqual([]);
  });
});
