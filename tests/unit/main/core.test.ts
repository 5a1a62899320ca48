import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { eventsPath } from '#shared/api/events.ts';
import { createHostClient } from '#shared/host/client.ts';
import { hostContract, type Host } from '#shared/host/contract.ts';
import type { TunnelState } from '#shared/tunnel/state.ts';
import { connectAtStart } from '../../../src/main/connect-at-start.ts';
import { createCore, type Core } from '../../../src/main/core.ts';
import { createDesktopHost } from '../../../src/main/desktop-host.ts';
import { startTestHelper, type TestHelper } from './support/helper.ts';
import { createTestFile, createTestTextFile } from './support/key-value-file.ts';
import { createTestKeychain } from './support/keychain.ts';
import { createTestLog } from './support/log.ts';

const day = 24 * 60 * 60_000;
const lists = { routeDomains: ['example.com'], blockedDomains: ['ads.example'] };
const later = { routeDomains: ['later.example'], blockedDomains: [] };
const groups = [
  {
    id: 'one',
    name: 'One',
    isTrial: true,
    trialExpiredAt: null,
    items: [
      { id: 'one', level: 1, servers: [{ serverId: 'one', name: 'One', domain: '127.0.0.1', port: 9 }] },
    ],
  },
];
const connected: TunnelState = {
  state: 'connected',
  gateway: { host: '127.0.0.1', port: 9 },
  since: 1,
  addresses: {},
  transport: 'dtls',
  routing: { mode: 'global', localNetwork: false },
};

/** The service: what it answers, and the requests that it got. */
let answers: Record<string, object>;
let asked: { path: string | undefined; tag: string | undefined }[];
let service: Server;
let helper: TestHelper;
/** The files of the app, which outlive it. */
let files: ReturnType<typeof newFiles>;
const running: Core[] = [];

const newFiles = () => ({
  settingsFile: createTestFile({ deviceId: 'b1b0a7fa-5b4c-4b43-8a8c-2d6ef6c26d31' }),
  pageFile: createTestFile(),
  planFile: createTestFile(),
  listsFile: createTestTextFile(),
  keychain: createTestKeychain({ 'b1b0a7fa-5b4c-4b43-8a8c-2d6ef6c26d31': 'token' }),
});

beforeEach(async () => {
  files = newFiles();
  asked = [];
  answers = {
    '/api/route/pac': lists,
    '/api/server-groups': { items: groups },
    '/api/my-service': { serviceId: 's', expiredAt: null, seats: 1, service: 'Plan' },
  };
  helper = await startTestHelper();
  service = createServer((request: IncomingMessage, response) => {
    if (request.url === eventsPath) {
      response.writeHead(404).end();
      return;
    }
    const tag = request.headers['if-none-match'];
    asked.push({ path: request.url, tag });
    const data = answers[request.url ?? ''];
    const text = JSON.stringify({ code: data ? 0 : 404, msg: '', data: data ?? null });
    const etag = `W/"${createHash('sha256').update(text).digest('hex')}"`;
    if (tag === etag) response.writeHead(304, { etag }).end();
    else response.writeHead(data ? 200 : 404, { etag }).end(text);
  });
  await new Promise<void>((resolve) => {
    service.listen(0, '127.0.0.1', resolve);
  });
});

afterEach(async () => {
  vi.useRealTimers();
  for (const core of running.splice(0)) core.close();
  service.closeAllConnections();
  await new Promise((resolve) => {
    service.close(resolve);
  });
  await helper[Symbol.asyncDispose]();
});

/** The app without any window. */
function startCore(): Core {
  const { port } = service.address() as AddressInfo;
  const core = createCore({
    environment: { apiUrl: `http://127.0.0.1:${port}`, helperSocket: helper.socketPath },
    version: '1.2.3',
    lang: 'en-GB',
    ...files,
    runProgram: () => Promise.resolve(undefined),
    session: {},
    openBrowser: () => Promise.resolve({ kind: 'cancelled' }),
    openPortalWindow: () => Promise.resolve(),
    log: createTestLog().log,
  });
  running.push(core);
  return core;
}

/** As many pages as are wanted over one app, each with the events that it got. */
function openPages(core: Core, count: number): { host: Host; events: [string, unknown][] }[] {
  const events = Array.from({ length: count }, (): [string, unknown][] => []);
  const server = createDesktopHost({
    core,
    openExternal: () => Promise.resolve(false),
    openAppView: () => Promise.resolve(false),
    openAppLink: () => Promise.resolve(false),
    emit(channel, payload) {
      for (const page of events) page.push([channel, payload]);
    },
  });
  return events.map((page) => ({
    events: page,
    host: createHostClient(hostContract, {
      request: (channel, input) => server.handle(channel, input),
      subscribe: () => () => undefined,
    }),
  }));
}

const listRequests = () => asked.filter(({ path }) => path === '/api/route/pac');
const routings = () => helper.calls.filter(({ method }) => method === 'setRouting');
const pac = (now: typeof lists) => ({
  method: 'setRouting',
  params: { routing: { mode: 'pac', ...now }, killSwitch: false },
});
async function untilConnected(core: Core): Promise<void> {
  helper.set(connected);
  await vi.waitFor(() => expect(core.tunnel.state()).toEqual(connected));
}

test('routing by lists, without any page: chosen, applied, over a restart, and refreshed while connected', async () => {
  const first = startCore();
  await first.session.load();
  await untilConnected(first);
  expect(await first.preferences.set({ routing: 'automatic' })).toEqual({ ok: true });
  expect(routings()).toEqual([pac(lists)]);
  expect(listRequests()).toHaveLength(1);
  running.pop()?.close();

  answers['/api/route/pac'] = later;
  const second = startCore();
  await second.session.load();
  await vi.waitFor(() => expect(second.tunnel.state()).toEqual(connected));
  expect(second.preferences.forTunnel().routing).toEqual({ mode: 'pac', ...lists });
  expect(listRequests()).toHaveLength(1);

  // A day has passed; whatever has the app look again, such as a tunnel that is up.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + day });
  helper.set({ ...connected, since: 2 });
  await vi.waitFor(() => expect(routings()).toEqual([pac(lists), pac(later)]));
  expect(listRequests()).toHaveLength(2);
  expect(listRequests()[1]?.tag).toMatch(/^W\//);
});

test('lists that were forgotten come back by themselves with the next account', async () => {
  const core = startCore();
  await core.session.load();
  await core.preferences.set({ routing: 'automatic' });
  await core.signOut('user');
  expect(files.listsFile.text).toBeUndefined();
  expect(core.preferences.get().routing).toBe('automatic');
  expect(core.preferences.forTunnel().routing.mode).toBe('global');
  await core.session.signIn('another');
  await vi.waitFor(() => expect(core.preferences.forTunnel().routing.mode).toBe('pac'));
});

test('a session is prepared for the chosen server at start, without any page', async () => {
  // Nothing listens on the gateway's port: what counts is that it is tried.
  const { promise: tried, resolve } = Promise.withResolvers<void>();
  const gateway = createServer().on('connection', (socket) => {
    socket.destroy();
    resolve();
  });
  await new Promise<void>((done) => {
    gateway.listen(0, '127.0.0.1', done);
  });
  const { port } = gateway.address() as AddressInfo;
  answers['/api/server-groups'] = {
    items: [
      {
        ...groups[0],
        items: [
          { id: 'one', level: 1, servers: [{ serverId: 'one', name: 'One', domain: '127.0.0.1', port }] },
        ],
      },
    ],
  };
  files.settingsFile.content.set('serverId', 'one');
  startCore();
  await tried;
  expect(asked.map(({ path }) => path)).toContain('/api/server-groups');
  await new Promise((done) => {
    gateway.close(done);
  });
});

test('one that the user has not chosen is not signed in to, and nothing is asked of the service', async () => {
  const core = startCore();
  await core.session.load();
  await vi.waitFor(() => expect(core.tunnel.state()).toEqual({ state: 'disconnected' }));
  core.userIsHere();
  expect(asked).toEqual([]);
});

test('two pages show the same, and a page that goes away takes nothing with it', async () => {
  const core = startCore();
  const [one, other] = openPages(core, 2);
  if (!one || !other) throw new Error('no pages');
  await core.session.load();
  await untilConnected(core);
  expect(await one.host.server.choose('one')).toBe(true);
  expect(await one.host.preferences.set({ routing: 'automatic' })).toEqual({ ok: true });
  expect(await one.host.preferences.set({ killSwitch: true })).toEqual({ ok: true });
  const now = { routing: 'automatic', killSwitch: true, localNetwork: false };
  expect(await other.host.preferences.get()).toEqual(now);
  expect(await other.host.server.chosen()).toBe('one');
  for (const { events } of [one, other]) {
    expect(events).toContainEqual(['server.changed', 'one']);
    expect(events.at(-1)).toEqual(['preferences.changed', now]);
  }
  const [next] = openPages(core, 1);
  expect(await next?.host.preferences.get()).toEqual(now);
  expect(await next?.host.server.chosen()).toBe('one');
  expect(await next?.host.tunnel.snapshot()).toEqual(connected);
  expect(helper.calls.map(({ method }) => method)).not.toContain('disconnect');
});

test('signing out forgets the chosen server and keeps what belongs to the device', async () => {
  const core = startCore();
  await core.session.load();
  core.server.choose('one');
  await core.preferences.set({ killSwitch: true });
  await core.signOut('user');
  expect(core.server.id()).toBeUndefined();
  expect(core.preferences.get()).toMatchObject({ killSwitch: true });
});

describe('at the start of the app', () => {
  /** A gateway that nobody gets through to, and how often it was tried; the server that is chosen leads to it. */
  async function chooseUnreachable(): Promise<{ tries: () => number } & AsyncDisposable> {
    let tries = 0;
    const gateway = createServer().on('connection', (socket) => {
      tries += 1;
      socket.destroy();
    });
    await new Promise<void>((done) => {
      gateway.listen(0, '127.0.0.1', done);
    });
    const { port } = gateway.address() as AddressInfo;
    const server = { serverId: 'one', name: 'One', domain: '127.0.0.1', port };
    const group = { ...groups[0], items: [{ id: 'one', level: 1, servers: [server] }] };
    files.planFile.content.set('plan', { groups: [group] });
    answers['/api/server-groups'] = { items: [group] };
    files.settingsFile.content.set('serverId', 'one');
    helper.on('disconnect', ({ reason }) => helper.set({ state: 'disconnected', ...(reason && { reason }) }));
    return {
      tries: () => tries,
      async [Symbol.asyncDispose]() {
        await new Promise((done) => {
          gateway.close(done);
        });
      },
    };
  }

  test('it connects where that is set, tries again while there is no network, and says so in the end', async () => {
    await using gateway = await chooseUnreachable();
    files.settingsFile.content.set('connectAtStart', true);
    const core = startCore();
    const reason = await new Promise((resolve) => {
      connectAtStart({ core, giveUp: resolve, pausesMs: [1, 1] });
    });
    expect(reason).toBe('gateway-unreachable');
    expect(helper.calls.filter(({ method }) => method === 'connect').length).toBe(3);
    expect(gateway.tries()).toBeGreaterThanOrEqual(3);
  });

  test('what the user presses meanwhile ends that', async () => {
    await using _ = await chooseUnreachable();
    files.settingsFile.content.set('connectAtStart', true);
    const core = startCore();
    const states: TunnelState[] = [];
    core.onTunnelState((state) => {
      states.push(state);
      if (state.state === 'connecting') void core.tunnel.host.disconnect(undefined);
    });
    connectAtStart({ core, giveUp: () => undefined, pausesMs: [1, 1] });
    await vi.waitFor(() => expect(states.at(-1)).toEqual({ state: 'disconnected' }));
    expect(states.filter(({ state }) => state === 'connecting')).toHaveLength(1);
  });

  test('it leaves the tunnel alone where that is not set', async () => {
    await using _ = await chooseUnreachable();
    const core = startCore();
    connectAtStart({ core, giveUp: () => undefined });
    await core.session.load();
    await vi.waitFor(() => expect(core.tunnel.state()).toEqual({ state: 'disconnected' }));
    expect(helper.calls.map(({ method }) => method)).not.toContain('connect');
  });
});
