import { beforeEach, describe, expect, test, vi } from 'vitest';
import { createHostClient } from '#shared/host/client.ts';
import type { Session } from '#shared/host/common-contract.ts';
import { hostContract, type Host } from '#shared/host/contract.ts';
import type { HostEvents } from '#shared/host/descriptor.ts';
import { createHostServer } from '#shared/host/server.ts';
import { webviewContract, type WebviewContract } from '#shared/host/webview-contract.ts';
import { createInPageTransport } from '../../../src/renderer/platform/in-page-transport.ts';
import { createWebviewHost } from '../../../src/renderer/platform/webview/webview-host.ts';
import { createPagePreferences } from '../../../src/renderer/platform/page-preferences.ts';
import { openWebviewSession } from '../../../src/renderer/platform/webview/webview-session.ts';
import { createWebviewApp, type WebviewApp } from '../../e2e/webview/webview-app.ts';
import { MemoryStorage } from '../renderer/support/memory-storage.ts';

const ours = 'b1b0a7fa-5b4c-4b43-8a8c-2d6ef6c26d31';
const user = { email: 'a@example.com', profile: { level: 1, firstOrderDone: false, seatsUsed: 0 } };

let app: WebviewApp;
let storage: MemoryStorage;
let sent: { url: string; authorization: string | undefined; body: unknown }[];
let reply: { code: number; data: unknown };
let sessions: Session[];
/** What the service answers at an address, whoever asks. */
let listed: Map<string, unknown>;
/** By how much the service's clock is ahead of the phone's, in milliseconds. */
let serviceOffset: number;

beforeEach(() => {
  app = createWebviewApp('ios');
  storage = new MemoryStorage();
  sent = [];
  sessions = [];
  listed = new Map();
  serviceOffset = 0;
  reply = { code: 0, data: user };
  // A page's timers end with it, and here no page ends by itself.
  const begun = vi.spyOn(globalThis, 'setInterval');
  return () => {
    for (const { value } of begun.mock.results) clearInterval(value as NodeJS.Timeout);
    begun.mockRestore();
  };
});

/** A page, over the app as it is now. */
async function openPage(): Promise<Host> {
  const server = createHostServer(webviewContract, app.handlers);
  const client = createHostClient<WebviewContract>(webviewContract, {
    request: (channel, input) => server.handle(channel, input),
    subscribe(channel, listener) {
      const { emit } = app;
      app.emit = (name, payload) => {
        emit(name, payload);
        if (name === channel) listener(payload);
      };
      return () => undefined;
    },
  });
  const session = await openWebviewSession(client.storage, () => ours);
  const { device, routingModes, measuresLatency = false } = await client.app.describe();
  const host = createHostClient(
    hostContract,
    createInPageTransport(hostContract, (emit) =>
      createWebviewHost({
        app: client,
        session,
        device,
        routingModes,
        measuresLatency,
        visibility: {
          isVisible: () => true,
          onVisible: () => () => undefined,
          onHidden: () => () => undefined,
        },
        look: createPagePreferences(storage),
        language: 'en',
        baseUrl: '',
        emit,
        followEvents: () => ({ restart: () => undefined }),
        fetch: async (url, { headers, body }) => {
          const dated = new Headers({ date: new Date(Date.now() + serviceOffset).toUTCString() });
          const told = listed.get(url);
          if (told !== undefined) {
            const text = JSON.stringify({ code: 0, msg: '', data: told });
            return { status: 200, headers: dated, text: () => Promise.resolve(text) };
          }
          sent.push({
            url,
            authorization: headers['Authorization'],
            body: body === undefined ? undefined : JSON.parse(body),
          });
          const answer = { msg: '', ...reply };
          return { status: 200, headers: dated, text: () => Promise.resolve(JSON.stringify(answer)) };
        },
      }),
    ),
  );
  host.session.changed((now: HostEvents<typeof hostContract>['session.changed']) => sessions.push(now));
  return host;
}

async function signIn(host: Host): Promise<void> {
  reply = { code: 0, data: { token: 'secret' } };
  await host.session.verifyCode({ authId: 'id', authCode: '123456' });
  reply = { code: 0, data: user };
}

describe('the session', () => {
  test('lives in the app’s storage: device id at once, token after signing in, both found by the next page', async () => {
    const host = await openPage();
    expect(app.storage.get('deviceId')).toBe(ours);
    await signIn(host);
    expect(app.storage.get('token')).toBe('secret');
    expect(sent[0]).toMatchObject({
      url: '/api/auth',
      body: { isDevice: true, deviceId: ours, deviceName: 'iPhone' },
    });
    const next = await openPage();
    expect(await next.session.get()).toEqual({ signedIn: true, deviceId: ours, persistence: 'keychain' });
    await next.api.call({ name: 'userInfo' });
    expect(sent.at(-1)?.authorization).toBe(`Basic ${btoa(`${ours}:secret`)}`);
  });

  test('ended by a 401 leaves nothing but the device id, and no tunnel', async () => {
    const host = await openPage();
    await signIn(host);
    await host.storage.set({ key: 'user', value: '{}' });
    await host.tunnel.connect({ address: 'anyconnect://gw.example.net:443' });
    reply = { code: 401, data: null };
    expect(await host.api.call({ name: 'myService' })).toEqual({
      ok: false,
      failure: { kind: 'unauthorized' },
    });
    expect(Object.fromEntries(app.storage)).toEqual({ deviceId: ours });
    expect(app.state()).toEqual({ state: 'disconnected' });
    expect(sessions.at(-1)?.signedIn).toBe(false);
  });

  test('taken over from another device, with its id', async () => {
    const theirs = '0f8fad5b-d9cb-469f-a165-70867728950e';
    const host = await openPage();
    await signIn(host);
    await host.session.signInWithToken({ deviceId: theirs, token: 'other' });
    expect(Object.fromEntries(app.storage)).toEqual({ deviceId: theirs, token: 'other' });
    expect(sessions.map(({ signedIn, deviceId }) => [signedIn, deviceId])).toEqual([
      [true, ours],
      [false, ours],
      [true, theirs],
    ]);
  });

  test('in a storage that fails lasts as long as the page, and says so', async () => {
    const host = await openPage();
    app.storageFails = true;
    await signIn(host);
    expect(await host.session.get()).toEqual({ signedIn: true, deviceId: ours, persistence: 'memory' });
    expect(await host.storage.set({ key: 'user', value: 'x' })).toBe(false);
    expect(await host.storage.clear()).toBe(false);
  });

  test.each(['no-uuid', '', 'x'.repeat(40)])('a device id %j is replaced by one of ours', async (stored) => {
    app.storage.set('deviceId', stored);
    expect((await (await openPage()).session.get()).deviceId).toBe(ours);
  });

  test.each(['two words', '中文', 'x'.repeat(513)])('a token %j counts as none', async (stored) => {
    app.storage.set('token', stored);
    expect((await (await openPage()).session.get()).signedIn).toBe(false);
  });
});

test('the page’s storage does not reach token and device id; clearing it keeps both', async () => {
  const host = await openPage();
  await signIn(host);
  expect(await host.storage.get('token')).toBeNull();
  expect(await host.storage.set({ key: 'deviceId', value: 'x' })).toBe(false);
  expect(await host.storage.remove('token')).toBe(false);
  await host.storage.set({ key: 'user', value: 'x' });
  expect(await host.storage.clear()).toBe(true);
  expect(Object.fromEntries(app.storage)).toEqual({ deviceId: ours, token: 'secret' });
});

test('links and mini-apps are checked before the app is asked', async () => {
  const asked: string[] = [];
  app.handlers.app.openExternal = (link) => asked.push(link) > 0;
  app.handlers.apps.open = ({ link }) => asked.push(link) > 0;
  const host = await openPage();
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
  const honest = app.handlers.app.describe;
  app.handlers.app.describe = async () => ({ ...(await honest(undefined)), kind: 'desktop' });
  expect((await (await openPage()).app.describe()).kind).toBe('webview');
});

describe('the rules that the app cannot know', () => {
  const hour = 60 * 60_000;
  const address = 'anyconnect://gw.example.net:443';
  const iso = (at: number) => new Date(at).toISOString();

  /** What the account has: a trial that ends then, and maybe a plan. */
  function list(trialEnd: number, planEnd?: number): void {
    const servers = [{ serverId: 'one', name: 'One', domain: 'gw.example.net' }];
    const items = [{ id: 'one', level: 1, servers }];
    const group = { id: 'trial', name: 'Trial', isTrial: true, trialExpiredAt: iso(trialEnd), items };
    listed.set('/api/server-groups', { items: [group] });
    const expiredAt = planEnd === undefined ? null : iso(planEnd);
    listed.set('/api/my-service', { serviceId: 's', expiredAt, seats: 1, service: 'Plan' });
  }
  const askAgain = async (host: Host) => {
    await host.api.call({ name: 'serverGroups' });
    await host.api.call({ name: 'myService' });
  };

  beforeEach(() => {
    vi.useFakeTimers({ now: 1_800_000_000_000 });
    return () => vi.useRealTimers();
  });

  test('the app is told until when it may connect, and ends it though the page is gone', async () => {
    const end = Date.now() + hour;
    list(end);
    const host = await openPage();
    await signIn(host);
    expect(await host.tunnel.connect({ address })).toEqual({ ok: true });
    expect(app.allowedUntil()).toEqual({ at: end, reason: 'trial-ended' });
    app.handlers.tunnel.disconnect = () => {
      throw new Error('no page is there to say it');
    };
    await vi.advanceTimersByTimeAsync(hour);
    expect(app.state()).toEqual({ state: 'disconnected', reason: 'trial-ended' });
  });

  test.each([8, -8])(
    'a phone whose clock is %i hours ahead keeps its trial until the real end',
    async (hours) => {
      serviceOffset = -hours * hour;
      list(Date.now() + serviceOffset + hour);
      const host = await openPage();
      await signIn(host);
      expect(await host.tunnel.connect({ address })).toEqual({ ok: true });
      // The app only knows the phone's clock.
      const until = app.allowedUntil()?.at ?? 0;
      expect(Math.abs(until - (Date.now() + hour))).toBeLessThan(2000);
      expect(Math.abs((await host.clock.offset()) - serviceOffset)).toBeLessThan(2000);
      await vi.advanceTimersByTimeAsync(hour - 5000);
      expect(app.state().state).toBe('connected');
      await vi.advanceTimersByTimeAsync(10_000);
      expect(app.state()).toEqual({ state: 'disconnected', reason: 'trial-ended' });
    },
  );

  test('a plan that is bought moves the end, and one that the service takes away is the end', async () => {
    list(Date.now() + hour);
    const host = await openPage();
    await signIn(host);
    await host.tunnel.connect({ address });
    const planEnd = Date.now() + 100 * hour;
    list(Date.now() + hour, planEnd);
    await askAgain(host);
    expect(app.allowedUntil()).toEqual({ at: planEnd, reason: 'plan-ended' });
    await vi.advanceTimersByTimeAsync(2 * hour);
    expect(app.state().state).toBe('connected');
    list(Date.now() - hour, Date.now() - hour);
    await askAgain(host);
    await vi.waitFor(() => expect(app.state()).toEqual({ state: 'disconnected', reason: 'plan-ended' }));
  });

  test('the next page says the end again for a tunnel that it finds', async () => {
    list(Date.now() + hour);
    const first = await openPage();
    await signIn(first);
    await first.tunnel.connect({ address });
    const planEnd = Date.now() + 100 * hour;
    list(Date.now() + hour, planEnd);
    await askAgain(await openPage());
    expect(app.allowedUntil()).toEqual({ at: planEnd, reason: 'plan-ended' });
  });

  test('an app that does not keep to the end has its tunnel ended by the page', async () => {
    list(Date.now() + hour);
    const ends: unknown[] = [];
    app.handlers.tunnel.setAllowedUntil = () => {
      throw new Error('no such method');
    };
    app.handlers.tunnel.connect = () => {
      app.become({
        state: 'connected',
        gateway: { host: 'gw.example.net', port: 443 },
        since: 0,
        addresses: {},
        transport: 'tls',
        routing: { mode: 'ip' },
      });
      return { ok: true };
    };
    app.handlers.tunnel.disconnect = (input) => {
      ends.push(input);
      return null;
    };
    const host = await openPage();
    await signIn(host);
    await host.tunnel.connect({ address });
    await vi.advanceTimersByTimeAsync(hour - 1);
    expect(ends).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(ends).toEqual([{ reason: 'trial-ended' }]);
  });

  test('a server that may not be used, or is not listed, is not connected to', async () => {
    list(Date.now() - hour);
    const host = await openPage();
    await signIn(host);
    const refused = { ok: false, error: 'not-listed' };
    expect(await host.tunnel.connect({ address })).toEqual(refused);
    expect(await host.tunnel.connect({ address: 'anyconnect://other.example.net' })).toEqual(refused);
    expect(app.connects).toEqual([]);
  });

  test('the chosen server is kept in the app, prepared while there is no tunnel, and forgotten on sign-out', async () => {
    list(Date.now() + hour);
    const host = await openPage();
    await signIn(host);
    const told: unknown[] = [];
    host.server.changed((id) => told.push(id));
    await askAgain(host);
    expect(app.prepared).toEqual([]);
    expect(await host.server.choose('one')).toBe(true);
    await vi.waitFor(() => expect(app.prepared).toContain(address));
    expect(await (await openPage()).server.chosen()).toBe('one');
    expect(await (await openPage()).server.chooseFirst('another')).toBe(false);
    await host.tunnel.connect({ address });
    const before = app.prepared.length;
    await vi.advanceTimersByTimeAsync(10 * 60_000);
    expect(app.prepared).toHaveLength(before);
    await host.session.signOut({ by: 'user' });
    expect(await host.server.chosen()).toBeNull();
    expect(told).toEqual(['one', null]);
  });

  test('favourite and recent servers are kept in the app, told to the page, and forgotten on sign-out', async () => {
    list(Date.now() + hour);
    const host = await openPage();
    await signIn(host);
    await askAgain(host);
    const told: unknown[] = [];
    host.servers.keptChanged((now) => told.push(now));
    expect((await host.app.describe()).keepsServers).toBe(true);
    await host.tunnel.connect({ address });
    const kept = { favourites: ['two', 'one'], recents: ['one'] };
    for (const serverId of ['three', 'two', 'one'])
      expect(await host.servers.setFavourite({ serverId, isFavourite: true })).toBe(true);
    expect(await host.servers.setFavourite({ serverId: 'three', isFavourite: false })).toBe(true);
    expect(await host.servers.kept()).toEqual(kept);
    expect(told.at(-1)).toEqual(kept);
    expect(await (await openPage()).servers.kept()).toEqual(kept);
    app.storageFails = true;
    expect(await host.servers.setFavourite({ serverId: 'two', isFavourite: false })).toBe(false);
    app.storageFails = false;
    await host.session.signOut({ by: 'user' });
    const none = { favourites: [], recents: [] };
    expect(await host.servers.kept()).toEqual(none);
    expect(told.at(-1)).toEqual(none);
    expect(await (await openPage()).servers.kept()).toEqual(none);
  });

  test.each(['', 'nonsense', '{"favourites":7}', '[]'])(
    'servers kept as %j count as none',
    async (stored) => {
      app.storage.set('keptServers', stored);
      expect(await (await openPage()).servers.kept()).toEqual({ favourites: [], recents: [] });
    },
  );

  test('the app is asked how fast the servers are that may be used, while traffic may leave', async () => {
    list(Date.now() + hour);
    app.latencies?.set('gw.example.net', 12.5);
    const host = await openPage();
    await signIn(host);
    await askAgain(host);
    const measured: unknown[] = [];
    host.servers.measured((some) => measured.push(...some));
    expect(await host.servers.measure()).toBe('measured');
    const latency = { serverId: 'one', milliseconds: 12.5, throughTunnel: false };
    expect(measured).toEqual([latency]);
    expect(app.measured).toEqual([address]);
    app.handlers.servers.latency = () => {
      throw new Error('the app is broken');
    };
    expect(await host.servers.measure()).toBe('measured');
    expect(measured.at(-1)).toEqual({ ...latency, milliseconds: null });
    app.become({ state: 'disconnected', blocked: true });
    expect(await host.servers.measure()).toBe('blocked');
    expect(measured).toHaveLength(2);
  });

  test('an older app, which does not say that it can, is not asked how fast servers are', async () => {
    list(Date.now() + hour);
    app.latencies = undefined;
    const host = await openPage();
    await signIn(host);
    await askAgain(host);
    expect((await host.app.describe()).measuresLatency).toBeUndefined();
    expect(await host.servers.measure()).toBe('unsupported');
    expect(app.measured).toEqual([]);
  });

  test('with automatic routing the app is given the lists, and new ones once they are old', async () => {
    listed.set('/api/v1/ipv4/cn', { items: ['192.0.2.0/24'] });
    const host = await openPage();
    await signIn(host);
    expect(await host.preferences.set({ routing: 'automatic' })).toEqual({ ok: true });
    expect(app.routing()).toEqual({ mode: 'ip', routeIps: ['192.0.2.0/24'] });
    expect(await host.preferences.get()).toMatchObject({ routing: 'automatic' });
    listed.set('/api/v1/ipv4/cn', { items: ['203.0.113.0/24'] });
    const afterDays = async (days: number) => {
      vi.setSystemTime(Date.now() + days * 24 * hour);
      // Until it looks again; nothing has to happen in the days that are left out.
      await vi.advanceTimersByTimeAsync(hour);
    };
    await afterDays(29);
    expect(app.routing()).toEqual({ mode: 'ip', routeIps: ['192.0.2.0/24'] });
    await afterDays(2);
    expect(app.routing()).toEqual({ mode: 'ip', routeIps: ['203.0.113.0/24'] });
    await host.preferences.set({ routing: 'global' });
    expect(app.routing()).toEqual({ mode: 'global' });
    expect(await host.preferences.set({ killSwitch: true })).toEqual({ ok: false, error: 'not-applied' });
  });

  test('language, colours and that somebody is not new are kept on the device, and whoever signs out leaves them', async () => {
    const host = await openPage();
    await signIn(host);
    const look = { language: 'zh-hant', theme: 'dark', welcomed: true } as const;
    for (const change of [{ language: look.language }, { theme: look.theme }, { welcomed: look.welcomed }])
      expect(await host.preferences.set(change)).toEqual({ ok: true });
    await host.session.signOut({ by: 'user' });
    expect(await (await openPage()).preferences.get()).toMatchObject(look);
    storage.full = true;
    expect(await host.preferences.set({ theme: 'light' })).toEqual({ ok: false, error: 'not-stored' });
    expect(await host.preferences.get()).toMatchObject(look);
  });
});
