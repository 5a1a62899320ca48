import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { eventsPath } from '#shared/api/events.ts';
import { hostContract } from '#shared/host/contract.ts';
import { defaultPreferences } from '#shared/host/preferences.ts';
import { createHostClient } from '#shared/host/client.ts';
import { HostRequestRefused } from '#shared/host/server.ts';
import { createCore } from '../../../src/main/core/create-core.ts';
import { createDesktopHost } from '../../../src/main/desktop-host.ts';
import { createNetworkManager } from '../../../src/main/networks/linux/network-manager.ts';
import type { LoginItem } from '../../../src/main/preferences/behaviour.ts';
import { answerHostRequest } from '../../../src/main/page/host-answer.ts';
import { startTestHelper, type TestHelper } from './support/helper.ts';
import { createTestFile, createTestTextFile } from './support/key-value-file.ts';
import { createTestKeychain } from './support/keychain.ts';
import { emptyDiagnostics } from './support/diagnostics.ts';
import { createTestLog } from './support/log.ts';
import { connected } from './support/tunnel-states.ts';

const user = { email: 'ada@example.net', profile: { level: 1, firstOrderDone: true, seatsUsed: 1 } };
const token = 'the-s3cret-token';

let service: Server;
let helper: TestHelper;
let reply: (request: IncomingMessage) => { status?: number; body: unknown };
let received: { path: string | undefined; authorization: string | undefined; language: string | undefined }[];
const closing: (() => void)[] = [];

beforeEach(async () => {
  helper = await startTestHelper();
  received = [];
  reply = () => ({ body: { code: 0, msg: '', data: user } });
  service = createServer((request, response) => {
    // Of events, it has none.
    if (request.url === eventsPath) {
      response.writeHead(404).end();
      return;
    }
    const { authorization, 'accept-language': language } = request.headers;
    received.push({ path: request.url, authorization, language });
    const { status = 200, body } = reply(request);
    request.resume();
    request.on('end', () => response.writeHead(status).end(JSON.stringify(body)));
  });
  await new Promise<void>((resolve) => {
    service.listen(0, '127.0.0.1', resolve);
  });
});

afterEach(async () => {
  for (const close of closing.splice(0)) close();
  service.closeAllConnections();
  await new Promise((resolve) => {
    service.close(resolve);
  });
  await helper[Symbol.asyncDispose]();
});

/** A page's view of the desktop app, with everything that crosses to the page kept as text. */
function startApp(
  options: {
    keychain?: ReturnType<typeof createTestKeychain>;
    settings?: ReturnType<typeof createTestFile>;
    lang?: string;
    plan?: ReturnType<typeof createTestFile>;
    loginItem?: LoginItem;
    /** Whether it has a system to ask for networks, though no bus. */
    knowsNetworks?: boolean;
  } = {},
) {
  const { log, text } = createTestLog();
  const keychain = options.keychain ?? createTestKeychain();
  const settings = options.settings ?? createTestFile();
  const pageFile = createTestFile();
  const planFile = options.plan ?? createTestFile();
  const opened: string[] = [];
  const crossed: string[] = [];
  const events: [string, unknown][] = [];
  const { port } = service.address() as AddressInfo;
  const core = createCore({
    environment: { apiUrl: `http://127.0.0.1:${port}`, helperSocket: helper.socketPath },
    version: '1.2.3',
    lang: options.lang ?? 'en-GB',
    loginItem: options.loginItem,
    ...(options.knowsNetworks && {
      networks: createNetworkManager({ busAddress: 'unix:path=/nonexistent/bus', pausesMs: [], log }),
    }),
    settingsFile: settings,
    pageFile,
    planFile,
    listsFile: createTestTextFile(),
    addressListsFile: createTestTextFile(),
    ...emptyDiagnostics(),
    keychain,
    runProgram: () => Promise.resolve(undefined),
    session: {},
    openBrowser: () => Promise.resolve({ kind: 'cancelled' }),
    openPortalWindow: () => Promise.resolve(),
    log,
  });
  const server = createDesktopHost({
    core,
    openExternal(link) {
      opened.push(link);
      return Promise.resolve(true);
    },
    openAppView(link, title) {
      opened.push(`view ${title} ${link}`);
      return Promise.resolve(true);
    },
    openAppLink(link) {
      opened.push(`app ${link}`);
      return Promise.resolve(true);
    },
    saveText: () => Promise.resolve('cancelled'),
    emit(channel, payload) {
      crossed.push(JSON.stringify(payload));
      events.push([channel, payload]);
    },
  });
  closing.push(() => core.close());
  const host = createHostClient(hostContract, {
    async request(channel, input) {
      const answer = await answerHostRequest(server, channel, input, log);
      crossed.push(JSON.stringify(answer));
      if (!answer.ok) throw new Error(answer.message);
      return answer.value;
    },
    subscribe: () => () => undefined,
  });
  return {
    host,
    server,
    keychain,
    settings,
    pageFile,
    opened,
    events,
    crossed: () => crossed.join('\n'),
    log: text,
  };
}

async function signIn(host: ReturnType<typeof startApp>['host']) {
  const ordinary = reply;
  reply = () => ({ body: { code: 0, msg: '', data: { token } } });
  const result = await host.session.verifyCode({ authId: 'a', authCode: '123456' });
  reply = ordinary;
  return result;
}

const basic = (deviceId: string, password: string) => `Basic ${btoa(`${deviceId}:${password}`)}`;

describe('the session', () => {
  test('signs in, calls as this device, and the token never crosses to the page or the log', async () => {
    const app = startApp();
    const { deviceId, signedIn } = await app.host.session.get();
    expect(signedIn).toBe(false);
    expect(await signIn(app.host)).toEqual({
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
    expect(received.at(-1)).toEqual({
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
    const { host } = startApp({ keychain, settings: createTestFile({ deviceId }) });
    const call = host.api.call({ name: 'userInfo' });
    keychain.unlock();
    expect(await call).toMatchObject({ ok: true });
    expect(received[0]?.authorization).toBe(basic(deviceId, token));
  });

  test('without a keychain the page is told that the session lives in memory', async () => {
    const keychain = createTestKeychain();
    keychain.mode = 'throws';
    const { host, settings, pageFile } = startApp({ keychain });
    expect(await signIn(host)).toMatchObject({ ok: true, data: { signedIn: true, persistence: 'memory' } });
    expect(JSON.stringify([...settings.content, ...pageFile.content])).not.toContain(token);
  });

  test('a refused code is the service’s own failure', async () => {
    const { host } = startApp();
    reply = () => ({ status: 422, body: { code: 422, msg: 'wrong code', data: null } });
    const wrong = await host.session.verifyCode({ authId: 'a', authCode: '000000' });
    expect(wrong).toEqual({ ok: false, failure: { kind: 'service', code: 422, msg: 'wrong code' } });
    expect(await host.session.verifyCode({ authId: 'a', authCode: '1' })).toMatchObject({ ok: false });
    expect(received).toHaveLength(1);
  });

  test('the device id is made once and kept over sign-outs and starts', async () => {
    const settings = createTestFile();
    const first = startApp({ settings });
    const { deviceId } = await first.host.session.get();
    expect(deviceId).toMatch(/^[0-9a-f-]{36}$/);
    await signIn(first.host);
    expect((await first.host.session.signOut({ by: 'user' })).deviceId).toBe(deviceId);
    expect((await startApp({ settings }).host.session.get()).deviceId).toBe(deviceId);
    expect((await startApp().host.session.get()).deviceId).not.toBe(deviceId);
  });

  test('signing out forgets the token and the page’s storage, and ends the tunnel', async () => {
    const app = startApp();
    await signIn(app.host);
    await app.host.storage.set({ key: 'cache', value: 'x' });
    expect(await app.host.session.signOut({ by: 'user' })).toMatchObject({ signedIn: false });
    expect(app.keychain.secrets.size).toBe(0);
    expect(await app.host.storage.get('cache')).toBeNull();
    expect(helper.calls.map(({ method }) => method)).toContain('disconnect');
  });

  test('with the token of another device: that device takes the place of ours', async () => {
    const app = startApp();
    const ours = (await app.host.session.get()).deviceId;
    await signIn(app.host);
    await app.host.storage.set({ key: 'user', value: '{}' });
    const theirs = 'b1b0a7fa-5b4c-4b43-8a8c-2d6ef6c26d31';
    const session = { signedIn: true, deviceId: theirs, persistence: 'keychain' };
    expect(await app.host.session.signInWithToken({ deviceId: theirs, token: 'other-s3cret' })).toEqual({
      ok: true,
      data: session,
    });
    expect(received.at(-1)).toMatchObject({
      path: '/api/user-info',
      authorization: basic(theirs, 'other-s3cret'),
    });
    expect(app.keychain.secrets).toEqual(new Map([[theirs, 'other-s3cret']]));
    expect(app.pageFile.content.size).toBe(0);
    expect(app.events.filter(([channel]) => channel === 'session.changed').slice(-2)).toEqual([
      ['session.changed', { ...session, signedIn: false, deviceId: ours }],
      ['session.changed', session],
    ]);
    const next = startApp({ keychain: app.keychain, settings: app.settings });
    expect(await next.host.session.get()).toEqual(session);
    expect(app.crossed() + app.log()).not.toContain('other-s3cret');
  });

  test('whose account a token is for is asked of the service, and changes nothing', async () => {
    const app = startApp();
    await signIn(app.host);
    const before = await app.host.session.get();
    const deviceId = 'b1b0a7fa-5b4c-4b43-8a8c-2d6ef6c26d31';
    const owner = await app.host.session.tokenOwner({ deviceId, token: 'other-s3cret' });
    expect(owner).toEqual({ ok: true, data: { email: expect.stringContaining('@') } });
    expect(received.at(-1)).toMatchObject({
      path: '/api/user-info',
      authorization: basic(deviceId, 'other-s3cret'),
    });
    expect(await app.host.session.get()).toEqual(before);
  });

  test('with a token that the service does not know: nothing changes', async () => {
    const app = startApp();
    await signIn(app.host);
    const before = await app.host.session.get();
    reply = () => ({ status: 401, body: { code: 401, msg: '', data: null } });
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
    const app = startApp();
    await signIn(app.host);
    await app.host.storage.set({ key: 'cache', value: 'x' });
    reply = () => ({ status: 401, body: { code: 401, msg: 'gone', data: null } });
    expect(await app.host.api.call({ name: 'myService' })).toEqual({
      ok: false,
      failure: { kind: 'unauthorized' },
    });
    expect(app.events).toContainEqual(['session.changed', expect.objectContaining({ signedIn: false })]);
    expect(app.keychain.secrets.size).toBe(0);
    expect(await app.host.storage.get('cache')).toBeNull();
  });

  test('401 on user-info is for the page to judge', async () => {
    const app = startApp();
    await signIn(app.host);
    reply = () => ({ status: 401, body: { code: 401, msg: 'gone', data: null } });
    expect(await app.host.api.call({ name: 'userInfo' })).toEqual({
      ok: false,
      failure: { kind: 'unauthorized' },
    });
    expect(await app.host.session.get()).toMatchObject({ signedIn: true });
  });

  test('498 when the session changes during a call', async () => {
    const app = startApp();
    await signIn(app.host);
    let signingOut: Promise<unknown> | undefined;
    reply = () => {
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
    const { host } = startApp();
    await new Promise((resolve) => {
      service.close(resolve);
    });
    expect(await host.api.call({ name: 'basicInfo' })).toEqual({ ok: false, failure: { kind: 'network' } });
  });

  test('a redirect is not followed', async () => {
    const { host } = startApp();
    service.removeAllListeners('request');
    service.on('request', (request, response) => {
      received.push({ path: request.url, authorization: undefined, language: undefined });
      response.writeHead(302, { Location: '/elsewhere' }).end();
    });
    expect(await host.api.call({ name: 'basicInfo' })).toEqual({ ok: false, failure: { kind: 'network' } });
    expect(received).toHaveLength(1);
  });

  test.each([
    [{ name: 'pageNotes', params: { pageName: '../user-info' } }],
    [{ name: 'pageNotes', params: { pageName: '..' } }],
    [{ name: 'translations', params: { lang: 'fr' } }],
    [{ name: 'translations' }],
    [{ name: 'translations', params: { __proto__: { lang: 'en' } } }],
  ] as const)('%j is refused and not sent', async (input) => {
    const { host } = startApp();
    await expect(host.api.call(input as never)).rejects.toThrow();
    expect(received).toEqual([]);
  });

  test('calls that carry secrets are not for the page', async () => {
    const { host } = startApp();
    await expect(host.api.call({ name: 'auth' as never })).rejects.toThrow();
    expect(received).toEqual([]);
  });
});

describe('the page’s storage', () => {
  test('keeps, lists nothing, removes', async () => {
    const { host } = startApp();
    expect(await host.storage.get('a.b')).toBeNull();
    expect(await host.storage.set({ key: 'a.b', value: '1' })).toBe(true);
    expect(await host.storage.get('a.b')).toBe('1');
    expect(await host.storage.remove('a.b')).toBe(true);
    expect(await host.storage.get('a.b')).toBeNull();
  });

  test('tells a failing disk as false', async () => {
    const { host, pageFile } = startApp();
    pageFile.broken = true;
    expect(await host.storage.set({ key: 'a', value: '1' })).toBe(false);
    expect(await host.storage.remove('a')).toBe(false);
    expect(await host.storage.clear()).toBe(false);
    expect(await host.storage.get('a')).toBeNull();
  });

  test.each(['', 'a b', 'a/b', 'x'.repeat(129)])('%j is no key', async (key) => {
    const { host } = startApp();
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
    const { host, settings } = startApp();
    await host.tunnel.snapshot();
    helper.set(connected);
    expect(await host.preferences.get()).toEqual(before);
    await vi.waitFor(async () => expect(await host.tunnel.snapshot()).toEqual(connected));
    expect(await host.preferences.set({ localNetwork: true })).toEqual({ ok: true });
    expect(await host.preferences.set({ killSwitch: true })).toEqual({ ok: true });
    expect(await host.preferences.get()).toEqual({ ...before, killSwitch: true, localNetwork: true });
    expect([settings.content.get('killSwitch'), settings.content.get('localNetwork')]).toEqual([true, true]);
    const routing = { mode: 'global', localNetwork: true };
    expect(helper.calls.filter(({ method }) => method === 'setRouting')).toEqual([
      { method: 'setRouting', params: { routing, killSwitch: false } },
      { method: 'setRouting', params: { routing, killSwitch: true } },
    ]);
  });

  test('stay what they were when the helper refuses', async () => {
    const { host, settings } = startApp();
    await host.tunnel.snapshot();
    helper.set(connected);
    await vi.waitFor(async () => expect(await host.tunnel.snapshot()).toEqual(connected));
    helper.on('setRouting', () => {
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
    const { host, settings, events } = startApp();
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
    const { host } = startApp({ loginItem });
    expect(await host.preferences.set({ openAtLogin: true })).toEqual({ ok: true });
    expect(isOn).toBe(true);
    isRefused = true;
    expect(await host.preferences.set({ openAtLogin: false, theme: 'dark' })).toMatchObject({ ok: false });
    expect(await host.preferences.get()).toEqual({ ...before, openAtLogin: true });
  });

  test('networks are trusted where the system can be asked for them, and in no report by name', async () => {
    const home = Buffer.from('Wohnung 3b').toString('hex');
    const { host, settings } = startApp({ knowsNetworks: true });
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
    const { host } = startApp();
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
    const { host, server } = startApp();
    await expect(host.preferences.set(input as never)).rejects.toThrow();
    await expect(server.handle('preferences.set', input)).rejects.toThrow(HostRequestRefused);
    expect(await host.preferences.get()).toEqual(before);
  });
});

describe('a server that decides what goes through the tunnel', () => {
  test.each([true, false])('is one by the word of the service: %s', async (split) => {
    const app = startApp();
    await signIn(app.host);
    const servers = [{ serverId: 'one', name: 'One', domain: '127.0.0.1', ...(split && { split }) }];
    const group = { id: 'one', name: 'One', isTrial: true, trialExpiredAt: null };
    reply = () => ({
      body: { code: 0, msg: '', data: { items: [{ ...group, items: [{ id: 'one', level: 1, servers }] }] } },
    });
    expect(await app.host.tunnel.connect({ address: 'anyconnect://127.0.0.1' })).toEqual({ ok: true });
    await vi.waitFor(() => expect(helper.calls.map(({ method }) => method)).toContain('connect'));
    const asked = helper.calls.find(({ method }) => method === 'connect');
    expect(asked?.params).toEqual(
      split ? expect.objectContaining({ split }) : expect.not.objectContaining({ split: true }),
    );
  });
});

describe('what may come in through the tunnel', () => {
  /** What the helper is asked for while connecting; `marked`: the server, by the service. */
  async function askedOnConnect(marked: boolean) {
    const { host } = startApp();
    await signIn(host);
    const servers = [
      { serverId: 'one', name: 'One', domain: '127.0.0.1', ...(marked && { incoming: true }) },
    ];
    const group = { id: 'one', name: 'One', isTrial: true, trialExpiredAt: null };
    reply = () => ({
      body: { code: 0, msg: '', data: { items: [{ ...group, items: [{ id: 'one', level: 1, servers }] }] } },
    });
    expect(await host.tunnel.connect({ address: 'anyconnect://127.0.0.1' })).toEqual({ ok: true });
    await vi.waitFor(() => expect(helper.calls.map(({ method }) => method)).toContain('connect'));
    const asked = helper.calls.find(({ method }) => method === 'connect');
    return asked && 'allowIncoming' in asked.params ? asked.params.allowIncoming : undefined;
  }

  test.each([true, false])('is everything by the word of the service: %s', async (marked) => {
    helper.filtersIncoming = true;
    expect(await askedOnConnect(marked)).toBe(marked || undefined);
  });

  test('is no choice with an earlier helper, which would refuse the request', async () => {
    expect(await askedOnConnect(true)).toBeUndefined();
  });
});

describe('the app', () => {
  test('describes this device', async () => {
    const { device, ...app } = await startApp().host.app.describe();
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
    expect((await startApp({ lang: '' }).host.app.describe()).device.lang).toBe('zh-cn');
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
    const app = startApp();
    expect(await app.host.tunnel.snapshot()).toEqual({ state: 'disconnected' });
    helper.set({ state: 'disconnected', reason: 'engine-failed' });
    await vi.waitFor(() =>
      expect(app.events).toContainEqual([
        'tunnel.stateChanged',
        { state: 'disconnected', reason: 'engine-failed' },
      ]),
    );
  });
});
