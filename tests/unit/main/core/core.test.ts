import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { basicInfo } from '#shared/entities.ts';
import { createHostClient } from '#shared/host/client.ts';
import { hostContract, type Host } from '#shared/host/contract.ts';
import type { Core } from '../../../../src/main/core/core.ts';
import { settingsRecovery } from '../../../../src/main/preferences/settings.ts';
import { createDesktopHost } from '../../../../src/main/desktop-host.ts';
import {
  connected,
  createTestSurroundings,
  groups,
  lists,
  type TestSurroundings,
} from '../support/surroundings.ts';
import { gateway as listedGateway } from '../support/tunnel-states.ts';
import { wholePreferences } from '../support/whole-preferences.ts';

const day = 24 * 60 * 60_000;
const later = { routeDomains: ['later.example'], blockedDomains: [] };

let around: TestSurroundings;
let answers: TestSurroundings['answers'];
let asked: TestSurroundings['asked'];
let files: TestSurroundings['files'];
let helper: TestSurroundings['helper'];
const startCore = () => around.startCore();

beforeEach(async () => {
  around = await createTestSurroundings();
  ({ answers, asked, files, helper } = around);
});
afterEach(async () => {
  vi.useRealTimers();
  await around[Symbol.asyncDispose]();
});

/** As many pages as are wanted over one app, each with the events that it got. */
function openPages(core: Core, count: number): { host: Host; events: [string, unknown][] }[] {
  const events = Array.from({ length: count }, (): [string, unknown][] => []);
  const server = createDesktopHost({
    core,
    openExternal: () => Promise.resolve(false),
    openAppView: () => Promise.resolve(false),
    openAppLink: () => Promise.resolve(false),
    saveText: () => Promise.resolve('cancelled'),
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
  first.close();

  answers['/api/route/pac'] = later;
  const second = startCore();
  await second.session.load();
  await vi.waitFor(() => expect(second.tunnel.state()).toEqual(connected));
  expect(wholePreferences(second.preferences.forTunnel()).routing).toEqual({ mode: 'pac', ...lists });
  expect(listRequests()).toHaveLength(1);

  // A day has passed; whatever has the app look again, such as a tunnel that is up.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + day });
  helper.set({ ...connected, since: 2 });
  await vi.waitFor(() => expect(routings()).toEqual([pac(lists), pac(later)]));
  expect(listRequests()).toHaveLength(2);
  expect(listRequests()[1]?.tag).toMatch(/^W\//);
});

test('after a connection failed because of its proxy’s password, the page asks for it, and says that the last one was wrong', async () => {
  const proxy = { username: 'guest', password: 'old' };
  const core = around.startCore({
    // SOCKS has no realms: what is entered for another proxy is only kept once it has named one.
    HTTPS_PROXY: `socks5://${proxy.username}:${proxy.password}@192.0.2.9:3128`,
    NO_PROXY: '127.0.0.1',
  });
  await core.session.load();
  const [page] = openPages(core, 1);
  const shown = () => page?.host.gatewayForm.get() ?? null;
  const connecting = {
    state: 'connecting',
    gateway: listedGateway,
    attempt: 1,
    phase: 'handshaking',
  } as const;
  await core.tunnel.connectTo({ serverId: 'de-1', domain: listedGateway.host });
  helper.set(connecting);
  await vi.waitFor(() => expect(core.tunnel.state()).toMatchObject(connecting));
  expect(await shown()).toBeNull();
  helper.set({ state: 'disconnected', reason: 'proxy-credentials' });
  const form = await vi.waitFor(async () => {
    const now = await shown();
    if (!now) throw new Error('no form');
    return now;
  });
  expect(form).toMatchObject({ gateway: '192.0.2.9', fields: [{ kind: 'text' }, { kind: 'secret' }] });
  expect(form.message).toContain('did not accept');
  expect(page?.events.map(([channel]) => channel)).toContain('gatewayForm.changed');
  expect(await page?.host.gatewayForm.answer({ id: form.id, answers: ['guest', 'new'] })).toBe(true);
  await vi.waitFor(async () =>
    expect(await files.keychain.read('proxy 192.0.2.9 3128')).toBe(
      JSON.stringify({ username: 'guest', password: 'new', addresses: ['192.0.2.9'] }),
    ),
  );
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

test.each(['one', undefined])(
  'with %s chosen, a session is prepared at start, without any page',
  async (chosen) => {
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
    if (chosen !== undefined) files.settingsFile.content.set('serverId', chosen);
    startCore();
    await tried;
    expect(asked.map(({ path }) => path)).toContain('/api/server-groups');
    await new Promise((done) => {
      gateway.close(done);
    });
  },
);

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
  expect(await other.host.preferences.get()).toMatchObject(now);
  expect(await other.host.server.chosen()).toBe('one');
  // What a page would choose for somebody who has not chosen comes too late.
  expect(await other.host.server.chooseFirst('another')).toBe(false);
  expect(await one.host.server.chosen()).toBe('one');
  for (const { events } of [one, other]) {
    expect(events).toContainEqual(['server.changed', 'one']);
    expect(events.at(-1)).toEqual(['preferences.changed', expect.objectContaining(now)]);
  }
  const [next] = openPages(core, 1);
  expect(await next?.host.preferences.get()).toMatchObject(now);
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
  expect(core.server.chooseFirst('fastest')).toBe(true);
  expect(core.server.id()).toBe('fastest');
  expect(core.preferences.get()).toMatchObject({ killSwitch: true });
});

test('favourites are kept over restarts, told to every page, and forgotten with the account', async () => {
  const first = startCore();
  const [one, other] = openPages(first, 2);
  if (!one || !other) throw new Error('no pages');
  await first.session.load();
  expect(await one.host.servers.setFavourite({ serverId: 'one', isFavourite: true })).toBe(true);
  const kept = { favourites: ['one'], recents: [] };
  expect(other.events).toContainEqual(['servers.keptChanged', kept]);
  first.close();
  const second = startCore();
  await second.session.load();
  const [page] = openPages(second, 1);
  expect(await page?.host.servers.kept()).toEqual(kept);
  await second.signOut('user');
  expect(await page?.host.servers.kept()).toEqual({ favourites: [], recents: [] });
});

describe('the address that the world sees', () => {
  const info = (addressUrl?: string) => {
    const link = 'https://vpn.example.net/';
    const names = Object.keys(basicInfo.shape.links.shape);
    return { addressUrl, links: Object.fromEntries(names.map((name) => [name, link])) };
  };
  const times = (path: string) => asked.filter((request) => request.path === path).length;
  const seen = (core: Core) => openPages(core, 1)[0]?.host.worldAddress.get();

  test('is asked for once for each connection, and never without one', async () => {
    answers['/api/basic-info'] = info('/api/address');
    answers['/api/address'] = { address: '203.0.113.9' };
    const core = startCore();
    await core.session.load();
    expect(await seen(core)).toBeNull();
    expect(times('/api/address')).toBe(0);
    await untilConnected(core);
    expect([await seen(core), await seen(core)]).toEqual(['203.0.113.9', '203.0.113.9']);
    expect(times('/api/address')).toBe(1);
    answers['/api/address'] = { address: '203.0.113.10' };
    helper.set({ ...connected, since: 2 });
    await vi.waitFor(async () => expect(await seen(core)).toBe('203.0.113.10'));
    expect(times('/api/address')).toBe(2);
  });

  test.each([
    ['the service does not name who tells it', info(), { address: '203.0.113.9' }],
    ['what is named is no address of the web', info('file:///etc/passwd'), { address: '203.0.113.9' }],
    ['the answer is none', info('/api/address'), { address: 'not-an-address' }],
  ])('is left out where %s', async (_, named, answer) => {
    answers['/api/basic-info'] = named;
    answers['/api/address'] = answer;
    const core = startCore();
    await core.session.load();
    await untilConnected(core);
    expect(await seen(core)).toBeNull();
  });

  test('is left out where the answer does not end, of which no more is read than an address takes', async () => {
    /** Far more than waits in the buffers of both ends. */
    const tooMuch = 64 * 1024 * 1024;
    const chunk = '2'.repeat(64 * 1024);
    let sent = 0;
    const endless = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'text/plain' });
      const more = () => {
        do sent += chunk.length;
        while (sent < tooMuch && !response.destroyed && response.write(chunk));
        if (sent >= tooMuch) response.destroy();
      };
      response.on('drain', more);
      more();
    });
    const left = new Promise((resolve) => {
      endless.on('request', (request: IncomingMessage) => request.socket.on('close', resolve));
    });
    await new Promise<void>((resolve) => {
      endless.listen(0, '127.0.0.1', resolve);
    });
    const { port } = endless.address() as AddressInfo;
    answers['/api/basic-info'] = info(`http://127.0.0.1:${port}/`);
    const core = startCore();
    await core.session.load();
    await untilConnected(core);
    try {
      expect(await seen(core)).toBeNull();
      await left;
      expect(sent).toBeLessThan(tooMuch);
    } finally {
      endless.closeAllConnections();
      endless.close();
    }
  });

  test('is not asked for where only a part goes through the tunnel', async () => {
    answers['/api/basic-info'] = info('/api/address');
    answers['/api/address'] = { address: '203.0.113.9' };
    const core = startCore();
    await core.session.load();
    helper.set({ ...connected, routing: { mode: 'split', networks: 2 } });
    await vi.waitFor(() => expect(core.tunnel.state().state).toBe('connected'));
    expect(await seen(core)).toBeNull();
    expect(times('/api/address')).toBe(0);
  });
});

describe('after the settings were damaged', () => {
  const damaged = (copy?: Record<string, unknown>) => {
    for (const [key, value] of Object.entries(settingsRecovery.recover(copy, undefined)))
      files.settingsFile.content.set(key, value);
  };
  const settled = (core: Core, isOn: boolean) =>
    vi.waitFor(() => {
      expect(files.settingsFile.content.get('killSwitchDoubt')).toBeNull();
      expect(core.preferences.get().killSwitch).toBe(isOn);
    });

  test.each([true, false])('without a copy, the kill switch is what the helper says: %s', async (isOn) => {
    damaged();
    helper.killSwitch = isOn;
    helper.set(connected);
    const core = startCore();
    expect(core.preferences.forTunnel().killSwitch, 'until it has been asked').toBe(true);
    await settled(core, isOn);
    expect(core.behaviour.get().settingsDamage).toBe('lost');
    expect(core.behaviour.set({ settingsDamage: null })).toBe(true);
    expect(core.behaviour.get().settingsDamage).toBeUndefined();
  });

  test('a copy that is older than the helper does not turn it off, and the helper does not turn off the copy', async () => {
    damaged({ killSwitch: false });
    helper.killSwitch = true;
    helper.set(connected);
    await settled(startCore(), true);
    damaged({ killSwitch: true });
    helper.killSwitch = false;
    const core = startCore();
    // Whoever has read it before the helper answers gets the same.
    core.behaviour.set({ settingsDamage: null });
    await settled(core, true);
  });

  test('a helper that does not know the question leaves it on', async () => {
    damaged();
    helper.on('killSwitch', () => {
      throw new Error('no such method');
    });
    helper.set(connected);
    const core = startCore();
    await vi.waitFor(() => expect(helper.calls).toContainEqual({ method: 'killSwitch', params: {} }));
    await untilConnected(core);
    expect(core.preferences.get().killSwitch).toBe(true);
  });
});

test('what a gateway says as it ends a tunnel is asked to be read, from the gateway that was chosen', async () => {
  const core = startCore();
  await core.session.load();
  const [page] = openPages(core, 1);
  await untilConnected(core);
  const goodbye = 'Ended by an administrator';
  helper.set({ state: 'connecting', gateway: listedGateway, attempt: 2, phase: 'waiting', goodbye });
  const form = await vi.waitFor(async () => {
    const waiting = await page?.host.gatewayForm.get();
    if (!waiting) expect.fail('nothing is asked');
    return waiting;
  });
  expect(form).toMatchObject({ topic: 'banner', gateway: listedGateway.host, message: goodbye, fields: [] });
  expect(await page?.host.gatewayForm.answer({ id: form.id, answers: [] })).toBe(true);
  helper.set({ state: 'connecting', gateway: listedGateway, attempt: 2, phase: 'handshaking', goodbye });
  await vi.waitFor(() => expect(core.tunnel.state()).toMatchObject({ phase: 'handshaking' }));
  expect(await page?.host.gatewayForm.get()).toBeNull();
  core.close();
});

test('what a gateway has said before the app was started is in the state, and is not shown', async () => {
  const core = startCore();
  await core.session.load();
  const [page] = openPages(core, 1);
  helper.set({ state: 'disconnected', reason: 'session-ended', goodbye: 'Ended by an administrator' });
  await vi.waitFor(() => expect(core.tunnel.state()).toMatchObject({ reason: 'session-ended' }));
  expect(await page?.host.gatewayForm.get()).toBeNull();
  core.close();
});
