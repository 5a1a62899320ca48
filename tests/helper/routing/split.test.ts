import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { ConnectRequest } from '#shared/helper/protocol.ts';
import type { Routing } from '#shared/tunnel/state.ts';
import { addresses, names, pools } from '../../lab/network/addresses.ts';
import { eventually, words } from '../../lab/runs/process.ts';
import { resolve } from '../../lab/probes/probe.ts';
import { createHelperLab, type HelperLab, replaceEngine } from '../support/helper-lab.ts';
import { packetsWhile as countPackets, seenBy as seenFrom } from '../support/programs/seen-by.ts';
import type { TestClient } from '../support/callers/test-client.ts';
import { isExhaustive } from '../../lab/runs/thoroughness.ts';
import { waitLimit } from '../../lab/runs/wait-limit.ts';

/** A server that is marked as split: only the networks that its gateway names go through the tunnel. */

let net: HelperLab;
beforeAll(async () => {
  net = await createHelperLab({ gateway: false });
  await net.start();
});
afterAll(() => net[Symbol.asyncDispose]());

afterEach(async () => {
  await net.disconnect();
  expect(await net.lab.user.snapshot()).toBe(net.initialSnapshot);
});

const everything: Routing = { mode: 'global', localNetwork: false };
const byName: Routing = { mode: 'pac', routeDomains: [names.echo], blockedDomains: [] };
const { echo, direct, inside, neighbour, user, userPrivate, gateway } = addresses;

/** What the gateway pushes unless a test says otherwise: of two neighbours the one, and the IPv6 address of none. */
const usual = [`route = 203.0.113.80/31`, `no-route = ${direct.ipv4}/32`];

const pushing = (options: readonly string[]) =>
  net.lab.gateway.restart({ options, mtu: undefined, pool: pools.first });

const connect = (changes: Partial<ConnectRequest> = {}) => net.connect({ split: true, ...changes });

const seenBy = (host: string) => seenFrom(net, host);

const routingOf = (client: TestClient) =>
  client.states.findLast((state) => state.state === 'connected')?.routing;

/** Packets to the echo, which belong in the tunnel, and to the resolvers outside it, which do not. */
async function packetsWhile(during: () => Promise<unknown>) {
  const { echo: captured, echoIpv6: directIpv6, direct: others } = await countPackets(net, during);
  return { captured, direct: others, directIpv6 };
}

/** What others take away is put back. */
async function expectPutBack(): Promise<void> {
  const { user: machine } = net.lab;
  await machine.run(words('nft flush ruleset'));
  await machine.run(words('ip route flush table 5188'));
  await eventually('it is put back', async () => {
    const routes = await machine.run(words('ip route show table 5188'));
    const filter = await machine.run(words('nft list ruleset'));
    return (
      (routes.match(/^(?:203|throw 203|unreachable 203)/gm)?.length === 3 && filter.includes('elements')) ||
      undefined
    );
  });
  expect(await seenBy(echo.ipv4)).toBe(gateway.ipv4);
  expect(await seenBy(direct.ipv4)).toBe(user.ipv4);
}

/** A helper that is killed blocks what is named, and so does the next one; resolves with a client of that. */
async function expectHeldByTheNext(): Promise<TestClient> {
  let next: TestClient | undefined;
  const packets = await packetsWhile(async () => {
    await net.end('SIGKILL');
    expect(await seenBy(direct.ipv4)).toBe(user.ipv4);
    await net.start();
    next = await net.attach();
    expect(next.states).toMatchObject([{ state: 'connecting', phase: 'authenticating' }]);
    expect(await seenBy(echo.ipv4)).toBeUndefined();
    expect(await seenBy(direct.ipv4)).toBe(user.ipv4);
  });
  expect(packets.captured).toBe(0);
  if (!next) throw new Error('no client');
  return next;
}

describe('with routes that leave out a neighbour', () => {
  test(
    'what the gateway has named never leaves outside the tunnel, and the rest goes directly',
    { timeout: waitLimit(90_000) },
    async () => {
      await pushing(usual);
      const before = await packetsWhile(() => seenBy(echo.ipv4));
      expect(before.captured).toBeGreaterThan(0);
      const client = await net.attach();
      await client.call('connect', net.request({ split: true, killSwitch: true }));
      expect(await seenBy(direct.ipv4), 'until the gateway has named them').toBeUndefined();
      await client.call('provideSession', { session: await net.signIn() });
      await client.until('connected');

      const up = await packetsWhile(async () => {
        expect(await seenBy(echo.ipv4)).toBe(gateway.ipv4);
        expect(await seenBy(direct.ipv4)).toBe(user.ipv4);
        expect(await seenBy(addresses.router.ipv4)).toBe(user.ipv4);
        expect(await seenBy(neighbour.ipv4)).toBe(userPrivate.ipv4);
        // IPv6 was not named.
        expect(await seenBy(echo.ipv6)).toBe(user.ipv6);
      });
      expect(up.captured).toBe(0);
      expect(up.direct).toBeGreaterThan(0);
      expect(up.directIpv6).toBeGreaterThan(0);
      expect(routingOf(client)).toEqual({
        mode: 'split',
        networks: 1,
        prefixes: ['203.0.113.80/31'],
        exceptions: { networks: 1, prefixes: [`${direct.ipv4}/32`] },
      });
      // Nor was the resolver.
      expect(await resolve(net.lab.user, names.where)).toContain(direct.ipv4);
      expect(client.states.at(-1)).not.toHaveProperty('problems');

      // It counts in mode global alone.
      const seenBefore = client.states.length;
      await client.call('setRouting', { routing: byName });
      expect(await seenBy(echo.ipv4)).toBe(user.ipv4);
      await client.call('setRouting', { routing: everything });
      expect(client.states.slice(seenBefore).at(-1)).toMatchObject({
        routing: { mode: 'split', networks: 1 },
      });
      expect(await seenBy(echo.ipv4)).toBe(gateway.ipv4);
      expect(await seenBy(direct.ipv4)).toBe(user.ipv4);

      await expectPutBack();

      const whileAnew = await packetsWhile(() => replaceEngine(net, client));
      expect(whileAnew.captured).toBe(0);
      expect(whileAnew.direct).toBeGreaterThan(0);

      const whileGone = await packetsWhile(async () => {
        await net.lab.gateway.kill();
        await net.killEngines();
        await client.until('connecting', { seen: client.states.length - 1 });
        expect(await seenBy(echo.ipv4)).toBeUndefined();
        expect(await seenBy(direct.ipv4)).toBe(user.ipv4);
      });
      expect(whileGone.captured).toBe(0);
      expect(whileGone.direct).toBeGreaterThan(0);

      const next = await expectHeldByTheNext();
      await next.call('disconnect', { reason: 'session-ended' });
      expect(next.states.at(-1)).toMatchObject({ state: 'disconnected', blocked: true });
      const blocked = await packetsWhile(async () => {
        expect(await seenBy(echo.ipv4)).toBeUndefined();
        expect(await seenBy(direct.ipv4)).toBe(user.ipv4);
      });
      expect(blocked.captured).toBe(0);
      expect(blocked.direct).toBeGreaterThan(0);

      await next.call('disconnect', {});
      expect(await seenBy(echo.ipv4)).toBe(user.ipv4);
    },
  );

  if (isExhaustive)
    test('without the kill switch the next helper puts everything back', async () => {
      await pushing(usual);
      await connect();
      await net.end('SIGKILL');
      await net.start();
      expect((await net.attach()).states).toEqual([{ state: 'disconnected', reason: 'helper-restarted' }]);
      expect(await net.lab.user.snapshot()).toBe(net.initialSnapshot);
    });

  if (isExhaustive)
    test('a gateway that names others when it is back has those in the tunnel, and the old ones no more', async () => {
      await pushing(usual);
      const client = await connect();
      const seen = client.states.length;
      await pushing([`route = ${direct.ipv4}/32`, 'route = 2001:db8:3::80/128']);
      await client.until('connecting', { seen, where: ({ phase }) => phase === 'authenticating' });
      await client.call('provideSession', { session: await net.signIn() });
      await client.until('connected', { seen, after: 'connecting' });
      expect(await seenBy(direct.ipv4)).toBe(gateway.ipv4);
      expect(await seenBy(echo.ipv6)).toBe(gateway.ipv6);
      expect(await seenBy(echo.ipv4)).toBe(user.ipv4);
      expect(routingOf(client)).toEqual({
        mode: 'split',
        networks: 2,
        prefixes: [`${direct.ipv4}/32`, '2001:db8:3::80/128'],
      });
    });

  test('it counts at a server that is marked alone', async () => {
    await pushing(usual);
    const client = await connect({ split: false });
    expect(await seenBy(direct.ipv4)).toBe(gateway.ipv4);
    expect(routingOf(client)).toEqual(everything);
  });
});

if (isExhaustive)
  test('a resolver that is named answers all names', async () => {
    await pushing([...usual, 'route = 198.51.100.64/26']);
    const client = await connect();
    expect(await resolve(net.lab.user, names.where)).toContain(inside.ipv4);
    expect(await seenBy(direct.ipv4)).toBe(user.ipv4);
    await client.call('setRouting', { routing: byName });
    expect(await resolve(net.lab.user, names.where)).toContain(direct.ipv4);
    await client.call('setRouting', { routing: everything });
    expect(await resolve(net.lab.user, names.where)).toContain(inside.ipv4);
    await client.call('disconnect', {});
    expect(await resolve(net.lab.user, names.where)).toContain(direct.ipv4);
  });

describe('a gateway that asks for too much:', () => {
  const asked = [
    { what: 'a default route in pieces', routes: ['0.0.0.0/1', '128.0.0.0/1'] },
    { what: 'nothing in particular', routes: [] },
    { what: 'something that is nobody’s', routes: ['203.0.113.80/32', '127.0.0.0/8'] },
    {
      what: 'a mask with gaps',
      routes: ['203.0.113.80/32', '10.0.0.0/255.0.255.0'],
      // Our own engine passes on that routes cannot be read, without a word.
      by: 'openconnect',
      says: 'Discard bad split include: \\"10.0.0.0/255.0.255.0\\"',
    },
    {
      what: 'a default route with an exception',
      routes: ['default'],
      exceptions: [`${direct.ipv4}/32`],
      says: 'everything goes through the tunnel","exceptions":1',
    },
  ];
  // The rest is in captured-prefixes.test.ts as well.
  test.each(isExhaustive ? asked : asked.slice(-1))(
    '$what is a tunnel for everything',
    async ({ routes, exceptions = [], by = net.engine, says = '' }) => {
      await pushing([
        ...routes.map((route) => `route = ${route}`),
        ...exceptions.map((route) => `no-route = ${route}`),
      ]);
      const client = await connect();
      if (by === net.engine) await expect.poll(() => net.log()).toContain(says);
      expect(routingOf(client)).toEqual(everything);
      expect(await seenBy(direct.ipv4)).toBe(gateway.ipv4);
      expect(await seenBy(neighbour.ipv4)).toBe(gateway.ipv4);
    },
  );

  if (isExhaustive)
    test('this machine’s network and the gateway itself stay outside', async () => {
      await pushing([
        ...usual,
        'route = 192.168.0.0/16',
        `route = ${neighbour.ipv4}/32`,
        'route = 198.51.100.0/25',
      ]);
      const client = await connect();
      expect(routingOf(client)).toMatchObject({
        networks: 3,
        prefixes: ['192.168.0.0/16', '198.51.100.0/25', '203.0.113.80/31'],
      });
      expect(await seenBy(neighbour.ipv4)).toBe(userPrivate.ipv4);
      expect(await seenBy(echo.ipv4)).toBe(gateway.ipv4);
      const way = await net.lab.user.run(words(`ip -o route get ${gateway.ipv4}`));
      expect(way).toContain('dev uplink');
      expect(await net.lab.user.run(words('ip -o route get 198.51.100.3'))).toContain('dev wm0');
    });
});
