import { randomInt } from 'node:crypto';
import { readdir, readFile, truncate } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { ConnectRequest } from '#shared/helper/protocol.ts';
import type { Routing } from '#shared/tunnel/state.ts';
import { addresses, names, pools, ports } from '../../lab/network/addresses.ts';
import { eventually, words } from '../../lab/runs/process.ts';
import { casesOf, isExhaustive } from '../../lab/runs/thoroughness.ts';
import { curlLimits, resolve } from '../../lab/probes/probe.ts';
import { waitLimit } from '../../lab/runs/wait-limit.ts';
import { createHelperLab, type HelperLab, proxyGone, replaceEngine } from '../support/helper-lab.ts';
import { packetsWhile as countPackets, seenBy as seenFrom } from '../support/programs/seen-by.ts';
import type { TestClient } from '../support/callers/test-client.ts';
import { exclude, hostPrefixes, include } from '../support/address-routing.ts';

/** Mode ip: what is listed goes through the tunnel, or everything else. */

let net: HelperLab;
beforeAll(async () => {
  net = await createHelperLab({ gateway: false });
  await net.start();
});
afterAll(() => net[Symbol.asyncDispose]());

afterEach(async () => {
  await net.disconnect();
  await expectAsBefore();
  expect(await readdir(net.stateDirectory)).toEqual([]);
});

/** What is there besides, without a hundred thousand lines. */
async function expectAsBefore(): Promise<void> {
  const before = new Set(net.initialSnapshot.split('\n'));
  const now = (await net.lab.user.snapshot()).split('\n');
  expect(now.filter((line) => !before.has(line)).slice(0, 20)).toEqual([]);
  expect(now).toHaveLength(net.initialSnapshot.split('\n').length);
}

const { echo, direct, inside, neighbour, user, userPrivate, gateway, resolver } = addresses;

const everything: Routing = { mode: 'global', localNetwork: false };
const pac: Routing = { mode: 'pac', routeDomains: [names.where], blockedDomains: [] };
/** Of the two echoes the one belongs in the tunnel and the other does not, by either policy. */
const onlyEcho = include(hostPrefixes(echo));
const allButDirect = exclude([...hostPrefixes(direct), `${resolver.ipv4}/32`]);
const policies = { include: onlyEcho, exclude: allButDirect };

/** To start it again takes seconds. */
let isGatewayUp = false;

async function startGateway(): Promise<void> {
  if (!isGatewayUp) await net.lab.gateway.restart({ pool: pools.first, ipv6: true });
  isGatewayUp = true;
}

async function connect(routing: Routing, changes: Partial<ConnectRequest> = {}) {
  await startGateway();
  return await net.connect({ routing, ...changes });
}

const seenBy = (host: string) => seenFrom(net, host);

/** Packets outside the tunnel to the echo, which belong in it, and to the resolver there, which do not. */
async function packetsWhile(during: () => Promise<unknown>) {
  const { echo: ipv4, echoIpv6, direct: others } = await countPackets(net, during);
  return { captured: ipv4 + echoIpv6, direct: others };
}

test('what is listed and what is not go their ways, of both IP versions, and the local network its own', async () => {
  const client = await connect(onlyEcho);
  for (const [policy, routing] of Object.entries(policies)) {
    await client.call('setRouting', { routing });
    expect(await seenBy(echo.ipv4), policy).toBe(gateway.ipv4);
    expect(await seenBy(echo.ipv6), policy).toBe(gateway.ipv6);
    expect(await seenBy(direct.ipv4), policy).toBe(user.ipv4);
    expect(await seenBy(direct.ipv6), policy).toBe(user.ipv6);
    // Whoever binds a socket to the uplink gets to what does not belong in the tunnel, and to nothing else.
    const bound = ['curl', '--silent', '--globoff', ...curlLimits(), '--interface', 'uplink'];
    const reaches = async (host: string) =>
      (await net.lab.user.exec([...bound, `http://${host}:${ports.http}/`])).code === 0;
    expect(await Promise.all([echo.ipv4, `[${echo.ipv6}]`].map(reaches)), policy).toEqual([false, false]);
    expect(await Promise.all([direct.ipv4, `[${direct.ipv6}]`].map(reaches)), policy).toEqual([true, true]);
    // The tunnel's resolver is asked, though it is nowhere in the list.
    expect(await resolve(net.lab.user, names.where), policy).toContain(inside.ipv4);
    const { length } = routing.routeIps;
    expect(client.states.at(-1)).toMatchObject({ routing: { mode: 'ip', policy, prefixes: length } });
    expect(client.states.at(-1)).not.toHaveProperty('problems');

    // The local network is as with global routing.
    const neighbourSees = policy === 'include' ? userPrivate.ipv4 : gateway.ipv4;
    expect(await seenBy(neighbour.ipv4), policy).toBe(neighbourSees);
    await client.call('setRouting', { routing: { ...routing, localNetwork: true } });
    expect(await seenBy(neighbour.ipv4), policy).toBe(userPrivate.ipv4);
    expect(await seenBy(echo.ipv4), policy).toBe(gateway.ipv4);
  }
  // It is asked there, too, if it is listed among what goes around the tunnel.
  const aroundIt = exclude(['198.51.100.64/26', `${direct.ipv4}/32`]);
  await client.call('setRouting', { routing: aroundIt });
  expect(await resolve(net.lab.user, names.where)).toContain(inside.ipv4);
  expect(await seenBy(direct.ipv4)).toBe(user.ipv4);
});

test('without IPv6 from the gateway, what belongs in the tunnel is blocked', async () => {
  await net.lab.gateway.restart({ ipv6: false });
  isGatewayUp = false;
  const client = await net.connect({ routing: onlyEcho });
  for (const [policy, routing] of Object.entries(policies)) {
    await client.call('setRouting', { routing });
    expect(await seenBy(echo.ipv4), policy).toBe(gateway.ipv4);
    expect(await seenBy(echo.ipv6), policy).toBeUndefined();
    expect(await seenBy(direct.ipv6), policy).toBe(user.ipv6);
  }
});

/** That either keeps what belongs in the tunnel there is also seen while one takes the place of the other. */
const apart = casesOf({ usual: ['include'], all: ['include', 'exclude'] } as const);

describe.each(apart)('%s', (policy) => {
  const routing = policies[policy];

  test(
    'packets that belong in the tunnel never leave outside it',
    { timeout: waitLimit(60_000) },
    async () => {
      const before = await packetsWhile(() => seenBy(echo.ipv4));
      expect(before.captured).toBeGreaterThan(0);
      const client = await connect(routing, { killSwitch: true });
      const up = await packetsWhile(() => seenBy(echo.ipv4));
      expect(up.captured).toBe(0);
      expect(up.direct).toBeGreaterThan(0);

      const whileAnew = await packetsWhile(() => replaceEngine(net, client));
      expect(whileAnew.captured).toBe(0);
      expect(whileAnew.direct).toBeGreaterThan(0);

      const whileGone = await packetsWhile(async () => {
        await net.lab.gateway.kill();
        isGatewayUp = false;
        await net.killEngines();
        await client.until('connecting', { seen: client.states.length - 1 });
        expect(await seenBy(echo.ipv4)).toBeUndefined();
        expect(await seenBy(direct.ipv4)).toBe(user.ipv4);
      });
      expect(whileGone.captured).toBe(0);
      expect(whileGone.direct).toBeGreaterThan(0);

      await client.call('disconnect', { reason: 'session-ended' });
      expect(client.states.at(-1)).toMatchObject({ state: 'disconnected', blocked: true });
      const blocked = await packetsWhile(async () => {
        expect(await seenBy(echo.ipv4)).toBeUndefined();
        expect(await seenBy(echo.ipv6)).toBeUndefined();
        expect(await seenBy(direct.ipv4)).toBe(user.ipv4);
      });
      expect(blocked.captured).toBe(0);
      expect(blocked.direct).toBeGreaterThan(0);

      await client.call('disconnect', {});
      expect(await seenBy(echo.ipv4)).toBe(user.ipv4);
    },
  );

  test('what others take away is put back, and a killed helper blocks all only if its lists are lost', async () => {
    await connect(routing, { killSwitch: true });
    const { user: machine } = net.lab;
    const rulesBefore = await machine.run(words('ip rule'));
    const setsOf = (ruleset: string) => ruleset.match(/set prefixes_\w+/g) ?? [];
    const filterBefore = await machine.run(words('nft list ruleset'));
    const set = setsOf(filterBefore)[0]?.split(' ')[1] ?? '';
    const table = /lookup (518[89])/.exec(rulesBefore)?.[1] ?? '';
    const routes = () => machine.run(words(`ip route show table ${table}`));
    const routesBefore = await routes();
    expect(routesBefore).toContain(' dev wm0 ');
    const isWhole = async () => {
      const filter = await machine.run(words('nft list ruleset'));
      const isFiltering =
        setsOf(filter).length === setsOf(filterBefore).length &&
        filter.match(/elements/g)?.length === filterBefore.match(/elements/g)?.length;
      const rules = (await machine.run(words('ip rule'))).split('\n').length;
      return (
        ((await routes()) === routesBefore && isFiltering && rules === rulesBefore.split('\n').length) ||
        undefined
      );
    };
    expect(await isWhole()).toBe(true);
    const losses = ['nft flush ruleset', 'ip rule flush', `ip route flush table ${table}`];
    const others = [`nft flush set inet waymaker ${set}`, 'ip link set wm0 down'];
    const tables = ['ip route flush table 5188', 'ip route flush table 5189'];
    for (const loss of casesOf({ usual: losses, all: [...losses, ...others, ...tables] })) {
      await machine.run(words(loss)).catch(() => undefined);
      if (loss === 'ip rule flush') {
        await machine.run(words('ip rule add priority 32766 lookup main'));
        await machine.run(words('ip rule add priority 32767 lookup default'));
      }
      // Each look starts four programs.
      await eventually(`it is put back after ${loss}`, isWhole, { every: 100 });
    }
    expect(await seenBy(echo.ipv4)).toBe(gateway.ipv4);
    expect(await seenBy(direct.ipv4)).toBe(user.ipv4);

    if (isExhaustive) await expectTheRestToStay();

    const journal = await readFile(path.join(net.stateDirectory, 'journal.json'), 'utf8');
    expect(journal).not.toContain(routing.routeIps[0]);
    const packets = await packetsWhile(async () => {
      await net.end('SIGKILL');
      expect(await seenBy(direct.ipv4)).toBe(user.ipv4);
      // As after a restart of the computer.
      await net.lab.user.run(words('nft delete table inet waymaker'));
      await net.start();
      const next = await net.attach();
      expect(next.states).toMatchObject([{ state: 'connecting', phase: 'authenticating' }]);
      expect(await seenBy(echo.ipv4)).toBeUndefined();
      expect(await seenBy(direct.ipv4)).toBe(user.ipv4);
    });
    expect(packets.direct).toBeGreaterThan(0);

    // Without its lists, yet another one does not know what it may let out.
    const last = await restartWithoutLists();
    const blocked = { state: 'disconnected', reason: 'journal-unreadable', blocked: true };
    expect(last.states).toMatchObject([blocked]);
    expect(await seenBy(direct.ipv4)).toBeUndefined();
  });
});

/** While the routes of one IP version are put back, those of the other are not touched. */
async function expectTheRestToStay(): Promise<void> {
  const { user: machine } = net.lab;
  const tableOf6 = /lookup (518[89])/.exec(await machine.run(words('ip -6 rule')))?.[1] ?? '';
  const routesOf6 = words(`ip -6 route show table ${tableOf6}`);
  const before = await machine.run(routesOf6);
  const removed: string[] = [];
  const monitor = await machine.spawnUntil(
    ['stdbuf', '-oL', 'sh', '-c', 'echo ready; exec ip -4 -oneline monitor route'],
    /ready/,
  );
  monitor.stdout?.on('data', (chunk: Buffer) =>
    removed.push(...(chunk.toString().match(/^Deleted.*/gm) ?? [])),
  );
  const isSeen = async (host: string) => {
    await machine.run(words(`ip route replace unreachable ${host} table 5190`));
    await machine.run(words(`ip route del unreachable ${host} table 5190`));
    return removed.some((line) => line.includes(host)) || undefined;
  };
  await eventually('the monitor listens', () => isSeen('192.0.2.77'));
  await machine.run(words(`ip -6 route flush table ${tableOf6}`));
  await eventually('it is put back', async () => (await machine.run(routesOf6)) === before || undefined);
  await eventually('the monitor has reported all', () => isSeen('192.0.2.78'));
  expect(removed.filter((line) => !line.includes('table 5190'))).toEqual([]);
  monitor.kill('SIGKILL');
}

/** Kills the helper, and starts another, whose lists are lost. */
async function restartWithoutLists(): Promise<TestClient> {
  await net.end('SIGKILL');
  const [lists = ''] = (await readdir(net.stateDirectory)).filter((name) => name.startsWith('routing-'));
  // As a power failure leaves a file that was not flushed.
  await truncate(path.join(net.stateDirectory, lists));
  await net.start();
  return await net.attach();
}

if (isExhaustive)
  test('a helper whose lists are lost puts everything back without the kill switch: it needs none', async () => {
    await connect(onlyEcho);
    const next = await restartWithoutLists();
    expect(next.states).toEqual([{ state: 'disconnected', reason: 'helper-restarted' }]);
    expect(await seenBy(echo.ipv4)).toBe(user.ipv4);
    expect(await net.lab.user.snapshot()).toBe(net.initialSnapshot);
    expect(await readdir(net.stateDirectory)).toEqual([]);
  });

test(
  'what belongs in the tunnel by both modes stays inside while they change',
  { timeout: waitLimit(90_000) },
  async () => {
    const client = await connect(everything);
    const other = include([...hostPrefixes(echo), '198.18.0.0/15']);
    const usual = [onlyEcho, allButDirect, other];
    const more = [everything, allButDirect, { ...allButDirect, localNetwork: true }, onlyEcho];
    const ways = casesOf({ usual, all: [...usual, ...more] });
    const packets = await packetsWhile(async () => {
      for (const routing of [...ways, everything]) {
        await client.call('setRouting', { routing });
        expect(await seenBy(echo.ipv4)).toBe(gateway.ipv4);
        expect(await seenBy(direct.ipv4)).toBe(routing.mode === 'ip' ? user.ipv4 : gateway.ipv4);
      }
    });
    expect(packets.captured).toBe(0);

    // The positive control: in mode pac they do not belong there.
    const seen = await packetsWhile(async () => {
      await client.call('setRouting', { routing: pac });
      expect(await seenBy(echo.ipv4)).toBe(user.ipv4);
      expect(await resolve(net.lab.user, names.where)).toContain(direct.ipv4);
    });
    expect(seen.captured).toBeGreaterThan(0);
    await client.call('setRouting', { routing: allButDirect });
    const after = await packetsWhile(() => seenBy(echo.ipv4));
    expect(after.captured).toBe(0);
    expect(await resolve(net.lab.user, names.where)).toContain(inside.ipv4);
    await proxyGone(net);
  },
);

if (isExhaustive)
  test(
    'a helper that is killed at any moment of a change leaves nothing that the next does not put right',
    { timeout: waitLimit(120_000) },
    async () => {
      const changes: [Routing, Routing][] = [
        [everything, onlyEcho],
        [onlyEcho, allButDirect],
        [allButDirect, everything],
        [pac, onlyEcho],
      ];
      for (const [from, to] of changes) {
        const client = await connect(from, { killSwitch: true });
        client.call('setRouting', { routing: to }).catch(() => undefined);
        await delay(randomInt(0, 150));
        await net.end('SIGKILL');
        await net.start();
        const again = await net.attach();
        // The echo belongs in the tunnel by both, but for mode pac.
        if (from.mode !== 'pac') expect(await seenBy(echo.ipv4)).toBeUndefined();
        await again.call('disconnect', {});
        await proxyGone(net);
        await expectAsBefore();
      }
    },
  );

describe('a long list', () => {
  /** Every other network of 24 bits of Class A, which no two can be joined of. */
  const synthetic = Array.from({ length: isExhaustive ? 100_000 : 16_000 }, (_, index) => {
    const network = 2 * index;
    return `${1 + (network >> 16)}.${(network >> 8) & 255}.${network & 255}.0/24`;
  }).filter((prefix) => !prefix.startsWith('10.'));
  const cn = async () =>
    (
      await readFile(
        path.join(import.meta.dirname, '../../fixtures/route-lists/cn-ipv4-prefixes.txt'),
        'utf8',
      )
    )
      .split('\n')
      .filter((line) => /^\d/.test(line));

  const way = (host: string) => net.lab.user.run(words(`ip -o route get ${host}`));
  const refuses = async (host: string) =>
    (await net.lab.user.run(words(`ip -o route show table all match ${host}`))).includes('nhid') || undefined;
  async function loseFilter(): Promise<void> {
    const { user: machine } = net.lab;
    await machine.run(words('nft flush ruleset'));
    await eventually('the filter is back', async () => {
      const sets = await machine.run(words('nft -t list ruleset'));
      return sets.includes('prefixes_') || undefined;
    });
  }

  /** What others take away of it is put back, so that a listed host stays in the tunnel. */
  async function expectPutBack(host: string): Promise<void> {
    expect(await way(host)).toContain('dev wm0');
    await loseFilter();
    await net.lab.user.run(words('ip nexthop flush'));
    await eventually('the routes that refuse are back', () => refuses(host));
  }

  test(
    'holds back only what is in it, from the answer on, once it is loaded',
    { timeout: waitLimit(60_000) },
    async () => {
      await startGateway();
      const client = await net.attach();
      const session = await net.signIn();
      await using stream = await net.lab.user.probe.stream('held', 5);
      void stream;
      const capture = await net.lab.capture(`dst host ${echo.ipv4}`);
      await eventually('the positive control', async () => (await capture.packets()).length > 0 || undefined);
      const routing = include([...synthetic, `${echo.ipv4}/32`]);
      await client.call('connect', net.request({ session, routing }));
      // Those of before the answer; the capture is told of them by now.
      await capture.packets();
      await client.until('connected', { seen: client.states.length - 1 });
      expect(await capture.stop(), 'after the answer').toEqual([]);
      expect(await seenBy(direct.ipv4)).toBe(user.ipv4);
      await expectPutBack('1.2.0.1');
    },
  );

  if (!isExhaustive) return;

  test.each([
    { what: 'of a country', list: cn },
    { what: 'of a hundred thousand', list: async () => synthetic },
  ])('$what works as a short one', { timeout: waitLimit(120_000) }, async ({ list }) => {
    const prefixes = await list();
    const client = await connect(include([...prefixes, `${echo.ipv4}/32`]), { killSwitch: true });
    expect(await seenBy(echo.ipv4)).toBe(gateway.ipv4);
    expect(await seenBy(direct.ipv4)).toBe(user.ipv4);
    const [first = ''] = prefixes;
    const host = first.replace(/\.0\/\d+$/, '.1');
    await expectPutBack(host);
    // Back where one was.
    const listed = { routing: include([...prefixes, `${echo.ipv4}/32`]) };
    await client.call('setRouting', { routing: everything });
    expect(await seenBy(direct.ipv4)).toBe(gateway.ipv4);
    await net.lab.user.run(words('ip nexthop flush'));
    await client.call('setRouting', listed);
    expect(await seenBy(direct.ipv4)).toBe(user.ipv4);
    await eventually('they are back again', () => refuses(host));
    await client.call('setRouting', { routing: exclude([...prefixes, `${direct.ipv4}/32`]) });
    expect(await way(host)).toContain('dev uplink');
    expect(await seenBy(echo.ipv4)).toBe(gateway.ipv4);
    expect(await seenBy(direct.ipv4)).toBe(user.ipv4);
    // What has gone directly until now is not taken for that any more.
    await client.call('setRouting', { routing: include([...prefixes, `${direct.ipv4}/32`]) });
    expect(await seenBy(direct.ipv4)).toBe(gateway.ipv4);
    expect(await seenBy(echo.ipv4)).toBe(user.ipv4);
    // It is watched after lists were filled meanwhile, too.
    await loseFilter();
    await client.call('disconnect', { reason: 'session-ended' });
    expect(await seenBy(direct.ipv4)).toBeUndefined();
    expect(await seenBy(echo.ipv4)).toBe(user.ipv4);
  });
});
