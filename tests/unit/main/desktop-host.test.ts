import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { defaultPreferences } from '#shared/host/preferences.ts';
import { HostRequestRefused } from '#shared/host/server.ts';
import { answerHostRequest } from '../../../src/main/page/host-answer.ts';
import { createTestDesktop, token, user, type TestDesktop } from './support/desktop.ts';
import { createTestFile } from './support/key-value-file.ts';
import { createTestKeychain } from './support/keychain.ts';
import { createTestLog } from './support/log.ts';
import { connected } from './support/tunnel-states.ts';

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

describe('the page’s storage', () => {
  test('keeps, lists nothing, removes', async () => {
    const { host } = desktop.startApp();
    expect(await host.storage.get('a.b')).toBeNull();
    expect(await host.storage.set({ key: 'a.b', value: '1' })).toBe(true);
    expect(await host.storage.get('a.b')).toBe('1');
    expect(await host.storage.remove('a.b')).toBe(true);
    expect(await host.storage.get('a.b')).toBeNull();
  });

  test('tells a failing disk as false', async () => {
    const { host, pageFile } = desktop.startApp();
    pageFile.broken = true;
    expect(await host.storage.set({ key: 'a', value: '1' })).toBe(false);
    expect(await host.storage.remove('a')).toBe(false);
    expect(await host.storage.clear()).toBe(false);
    expect(await host.storage.get('a')).toBeNull();
  });

  test.each(['', 'a b', 'a/b', 'x'.repeat(129)])('%j is no key', async (key) => {
    const { host } = desktop.startApp();
    await expect(host.storage.set({ key, value: '' })).rejects.toThrow();
  });
});

describe('the preferences', () => {
  const before = {
    ...defaultPreferences,
    language: 'system',
    theme: 'system',
    onQuit: 'disconnect',
    notifications: true,
    connectAtStart: false,
    welcomed: false,
  };

  test('reach the file and the tunnel that is up', async () => {
    const { host, settings } = desktop.startApp();
    await host.tunnel.snapshot();
    desktop.helper.set(connected);
    expect(await host.preferences.get()).toEqual(before);
    await vi.waitFor(async () => expect(await host.tunnel.snapshot()).toEqual(connected));
    expect(await host.preferences.set({ localNetwork: true })).toEqual({ ok: true });
    expect(await host.preferences.set({ killSwitch: true })).toEqual({ ok: true });
    expect(await host.preferences.get()).toEqual({ ...before, killSwitch: true, localNetwork: true });
    expect([settings.content.get('killSwitch'), settings.content.get('localNetwork')]).toEqual([true, true]);
    const routing = { mode: 'global', localNetwork: true };
    expect(desktop.helper.calls.filter(({ method }) => method === 'setRouting')).toEqual([
      { method: 'setRouting', params: { routing, killSwitch: false } },
      { method: 'setRouting', params: { routing, killSwitch: true } },
    ]);
  });

  test('stay what they were when the helper refuses', async () => {
    const { host, settings } = desktop.startApp();
    await host.tunnel.snapshot();
    desktop.helper.set(connected);
    await vi.waitFor(async () => expect(await host.tunnel.snapshot()).toEqual(connected));
    desktop.helper.on('setRouting', () => {
      throw new Error('the system refused a change');
    });
    const refused = { ok: false, error: 'not-applied' };
    expect(await host.preferences.set({ localNetwork: true })).toEqual(refused);
    expect(await host.preferences.get()).toEqual(before);
    expect(settings.content.get('localNetwork')).toBe(false);
    expect(await host.preferences.set({ theme: 'dark', localNetwork: true }), 'all or nothing').toEqual(
      refused,
    );
    expect(await host.preferences.get()).toEqual(before);
  });

  test('of how the app behaves hold at once, are told to every page, and are taken back where they cannot be kept', async () => {
    const { host, settings, events } = desktop.startApp();
    const now = { ...before, language: 'zh-hans', onQuit: 'keep' };
    expect(await host.preferences.set({ language: 'zh-hans', onQuit: 'keep' })).toEqual({ ok: true });
    expect(await host.preferences.get()).toEqual(now);
    expect(events).toContainEqual(['preferences.changed', now]);
    await host.preferences.set({ welcomed: true });
    await host.session.signOut({ by: 'user' });
    expect(await host.preferences.get(), 'whoever signs in').toEqual({ ...now, welcomed: true });
    settings.broken = true;
    expect(await host.preferences.set({ notifications: false })).toEqual({ ok: false, error: 'not-stored' });
    expect(await host.preferences.get()).toMatchObject({ notifications: true });
  });

  test('starting at login is the system’s to keep: what it refuses is taken back', async () => {
    let isOn = false;
    let isRefused = false;
    const loginItem = { isOn: () => isOn, set: (wanted: boolean) => !isRefused && ((isOn = wanted), true) };
    const { host } = desktop.startApp({ loginItem });
    expect(await host.preferences.set({ openAtLogin: true })).toEqual({ ok: true });
    expect(isOn).toBe(true);
    isRefused = true;
    expect(await host.preferences.set({ openAtLogin: false, theme: 'dark' })).toMatchObject({ ok: false });
    expect(await host.preferences.get()).toEqual({ ...before, openAtLogin: true });
  });

  test('networks are trusted where the system can be asked for them, and in no report by name', async () => {
    const home = Buffer.from('Wohnung 3b').toString('hex');
    const { host, settings } = desktop.startApp({ knowsNetworks: true });
    const off = { connectOnUntrusted: false, disconnectOnTrusted: false, trustWired: false };
    expect(await host.preferences.get()).toMatchObject({ ...off, trustedNetworks: [] });
    expect(await host.networks.current()).toBeNull();
    const wanted = { connectOnUntrusted: true, trustedNetworks: [home, 'ff00'] };
    expect(await host.preferences.set(wanted)).toEqual({ ok: true });
    expect(await host.preferences.get()).toMatchObject(wanted);
    const report = await host.problemReport.make();
    expect(report).toContain('"trustedNetworks":2');
    expect(report).not.toContain(home);
    for (const trustedNetworks of [['home'], [''], ['ff'.repeat(33)], Array(101).fill('ff')])
      await expect(host.preferences.set({ trustedNetworks })).rejects.toThrow();
    settings.broken = true;
    const unkept = await host.preferences.set({ trustedNetworks: ['ff'] });
    expect(unkept).toEqual({ ok: false, error: 'not-stored' });
    expect((await host.preferences.get()).trustedNetworks).not.toContain('ff');
  });

  test('where it cannot, nothing says so but the lack of it', async () => {
    const { host } = desktop.startApp();
    expect(Object.keys(await host.preferences.get())).not.toContain('connectOnUntrusted');
    expect(await host.preferences.set({ connectOnUntrusted: true })).toMatchObject({ ok: false });
    expect(await host.networks.current()).toBeNull();
  });

  test.each([
    { killSwitch: 'yes' },
    { routing: 'pac' },
    { language: 'xx' },
    { onQuit: true },
    { routing: { mode: 'pac', pac: { routeDomains: [], blockedDomains: [] } } },
    'killSwitch',
    undefined,
  ])('%j is refused at both ends', async (input) => {
    const { host, server } = desktop.startApp();
    await expect(host.preferences.set(input as never)).rejects.toThrow();
    await expect(server.handle('preferences.set', input)).rejects.toThrow(HostRequestRefused);
    expect(await host.preferences.get()).toEqual(before);
  });
});

describe('a server that decides what goes through the tunnel', () => {
  test.each([true, false])('is one by the word of the service: %s', async (split) => {
    const app = desktop.startApp();
    await desktop.signIn(app.host);
    const servers = [{ serverId: 'one', name: 'One', domain: '127.0.0.1', ...(split && { split }) }];
    const group = { id: 'one', name: 'One', isTrial: true, trialExpiredAt: null };
    desktop.reply = () => ({
      body: { code: 0, msg: '', data: { items: [{ ...group, items: [{ id: 'one', level: 1, servers }] }] } },
    });
    expect(await app.host.tunnel.connect({ address: 'anyconnect://127.0.0.1' })).toEqual({ ok: true });
    await vi.waitFor(() => expect(desktop.helper.calls.map(({ method }) => method)).toContain('connect'));
    const asked = desktop.helper.calls.find(({ method }) => method === 'connect');
    expect(asked?.params).toEqual(
      split ? expect.objectContaining({ split }) : expect.not.objectContaining({ split: true }),
    );
  });
});

describe('what may come in through the tunnel', () => {
  /** What the helper is asked for while connecting; `marked`: the server, by the service. */
  async function askedOnConnect(marked: boolean) {
    const { host } = desktop.startApp();
    await desktop.signIn(host);
    const servers = [
      { serverId: 'one', name: 'One', domain: '127.0.0.1', ...(marked && { incoming: true }) },
    ];
    const group = { id: 'one', name: 'One', isTrial: true, trialExpiredAt: null };
    desktop.reply = () => ({
      body: { code: 0, msg: '', data: { items: [{ ...group, items: [{ id: 'one', level: 1, servers }] }] } },
    });
    expect(await host.tunnel.connect({ address: 'anyconnect://127.0.0.1' })).toEqual({ ok: true });
    await vi.waitFor(() => expect(desktop.helper.calls.map(({ method }) => method)).toContain('connect'));
    const asked = desktop.helper.calls.find(({ method }) => method === 'connect');
    return asked && 'allowIncoming' in asked.params ? asked.params.allowIncoming : undefined;
  }

  test.each([true, false])('is everything by the word of the service: %s', async (marked) => {
    desktop.helper.filtersIncoming = true;
    expect(await askedOnConnect(marked)).toBe(marked || undefined);
  });

  test('is no choice with an earlier helper, which would refuse the request', async () => {
    expect(await askedOnConnect(true)).toBeUndefined();
  });
});

describe('the app', () => {
  test('describes this device', async () => {
    const { device, ...app } = await desktop.startApp().host.app.describe();
    expect(app).toEqual({
      portalAddress: expect.stringMatching(/^http:/),
      kind: 'desktop',
      keepsServers: true,
      measuresLatency: true,
      hasTunnel: true,
      routingModes: ['global', 'pac'],
    });
    expect(device).toMatchObject({ platform: 'linux', arch: process.arch, version: '1.2.3', lang: 'en-GB' });
    expect(device.name).not.toBe('');
    expect(device.timezone).not.toBe('');
    expect((await desktop.startApp({ lang: '' }).host.app.describe()).device.lang).toBe('zh-cn');
  });

  test('an unexpected failure reaches the page without its insides', async () => {
    const { log, text } = createTestLog();
    const server = { handle: () => Promise.reject(new Error('ENOENT /home/ada/secret')) };
    expect(await answerHostRequest(server, 'storage.get', 'a', log)).toEqual({
      ok: false,
      message: 'storage.get failed',
    });
    expect(text()).toContain('ENOENT');
    expect(await answerHostRequest(server, 7, 'a', log)).toEqual({ ok: false, message: 'no such request' });
  });

  test('tells the tunnel’s state to its pages', async () => {
    const app = desktop.startApp();
    expect(await app.host.tunnel.snapshot()).toEqual({ state: 'disconnected' });
    desktop.helper.set({ state: 'disconnected', reason: 'engine-failed' });
    await vi.waitFor(() =>
      expect(app.events).toContainEqual([
        'tunnel.stateChanged',
        { state: 'disconnected', reason: 'engine-failed' },
      ]),
    );
  });
});
