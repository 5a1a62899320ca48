import { describe, expect, test, vi } from 'vitest';
import { address, session, setUp, type SetUp } from '../support/tunnel-controller.ts';
import { gateway } from '../support/tunnel-states.ts';

/** When the app has a connection to the gateway held ready. */

const other = 'anyconnect://other.example.net:443';

async function start(changes: SetUp = {}) {
  const view = { isPageInView: true, isMetered: false, isProxyRefused: false };
  const app = await setUp({
    holds: true,
    isPageInView: () => view.isPageInView,
    isMetered: () => Promise.resolve(view.isMetered),
    isProxyRefused: () => view.isProxyRefused,
    ...changes,
  });
  const calls = () =>
    app.helper.calls
      .map(({ method }) => method)
      .filter((method) => ['holdConnection', 'dropHeld', 'connect'].includes(method));
  return {
    ...app,
    view,
    calls,
    change(next: Partial<typeof view>) {
      Object.assign(view, next);
      app.controller.viewChanged();
    },
    /** What has been asked of the helper, once that is so. */
    asked: (wanted: readonly string[]) => vi.waitFor(() => expect(calls()).toEqual(wanted)),
    /** All that follows from what has happened has been asked for by then. */
    async nothingMore() {
      const before = calls();
      await new Promise((resolve) => setTimeout(resolve, 300));
      expect(calls()).toEqual(before);
    },
  };
}

test('a connection is held with the prepared session as long as the page is seen, and a click takes it', async () => {
  const app = await start();
  await app.controller.prepare(address);
  await app.asked(['holdConnection']);
  const { cookie: _secret, ...trust } = session;
  expect(app.helper.calls.at(-1)?.params).toEqual({ gateway, address: '192.0.2.1', trust });
  app.change({ isPageInView: false });
  await app.asked(['holdConnection', 'dropHeld']);
  app.change({ isPageInView: true });
  await app.asked(['holdConnection', 'dropHeld', 'holdConnection']);
  await app.tunnel.connect({ address });
  await app.asked(['holdConnection', 'dropHeld', 'holdConnection', 'connect']);
  app.change({ isPageInView: false });
  await app.nothingMore();
});

test('a user who looks again and again has four connections held for a session', async () => {
  const app = await start();
  await app.controller.prepare(address);
  await app.asked(['holdConnection']);
  for (let looks = 1; looks < 10; looks += 1) {
    app.change({ isPageInView: false });
    await vi.waitFor(() =>
      expect(app.calls().filter((call) => call === 'dropHeld')).toHaveLength(Math.min(looks, 4)),
    );
    app.change({ isPageInView: true });
    await vi.waitFor(() =>
      expect(app.calls().filter((call) => call === 'holdConnection')).toHaveLength(Math.min(looks + 1, 4)),
    );
  }
  // Nor does another server in between bring more.
  await app.controller.prepare(other);
  await app.controller.prepare(address);
  await app.nothingMore();
  expect(app.calls().filter((call) => call === 'holdConnection')).toHaveLength(4);
});

test('another server’s is gone before there is a session for it', async () => {
  const results = [Promise.withResolvers<never>()];
  let signIns = 0;
  const app = await start({
    async signIn({ gateway: at }) {
      signIns += 1;
      if (signIns > 1) await results[0]?.promise;
      return { ok: true, signedIn: { gateway: at, address: '192.0.2.1', session } };
    },
  });
  await app.controller.prepare(address);
  await app.asked(['holdConnection']);
  await app.controller.prepare(other);
  await app.asked(['holdConnection', 'dropHeld']);
  // And back again, with the session that is still good.
  await app.controller.prepare(address);
  await app.asked(['holdConnection', 'dropHeld', 'holdConnection']);
});

test('no connection is held after a sign-out', async () => {
  const app = await start();
  await app.controller.prepare(address);
  await app.asked(['holdConnection']);
  app.controller.credentialsChanged();
  await app.asked(['holdConnection', 'dropHeld']);
});

describe('there is none', () => {
  const proxy = {
    protocol: 'http',
    host: 'proxy.example',
    port: 3128,
    addresses: ['192.0.2.1'],
    credentials: { username: 'guest', password: 'secret' },
  } as const;

  test.each<[string, SetUp, Partial<Awaited<ReturnType<typeof start>>['view']>]>([
    ['while the page is not seen', {}, { isPageInView: false }],
    ['on a network that is metered', {}, { isMetered: true }],
    ['behind a proxy that wants another password', { proxyTo: () => proxy }, { isProxyRefused: true }],
    ['with a helper that cannot hold any', { holds: false }, {}],
  ])('%s', async (_when, changes, view) => {
    const app = await start(changes);
    Object.assign(app.view, view);
    await app.controller.prepare(address);
    await vi.waitFor(() => expect(app.signIns).toHaveLength(1));
    await app.nothingMore();
    expect(app.calls()).toEqual([]);
  });

  test('while traffic is blocked, and one when it flows again', async () => {
    const app = await start();
    await app.controller.prepare(address);
    await app.asked(['holdConnection']);
    app.helper.set({ state: 'disconnected', blocked: true });
    await vi.waitFor(async () => expect(await app.snapshot()).toMatchObject({ blocked: true }));
    app.change({});
    await app.nothingMore();
    app.helper.set({ state: 'disconnected' });
    await app.asked(['holdConnection', 'holdConnection']);
  });

  test('any more once the network is metered', async () => {
    const app = await start();
    await app.controller.prepare(address);
    await app.asked(['holdConnection']);
    app.change({ isMetered: true });
    await app.asked(['holdConnection', 'dropHeld']);
  });
});

test('behind a proxy, it is for the proxy’s address, with the password that is known', async () => {
  const credentials = { username: 'guest', password: 'secret' };
  const app = await start({
    proxyTo: () => ({
      protocol: 'http',
      host: 'proxy.example',
      port: 3128,
      addresses: ['192.0.2.1'],
      credentials,
    }),
  });
  await app.controller.prepare(address);
  await app.asked(['holdConnection']);
  expect(app.helper.calls.at(-1)?.params).toMatchObject({
    proxy: { protocol: 'http', port: 3128 },
    trust: { proxyCredentials: credentials },
  });
});
