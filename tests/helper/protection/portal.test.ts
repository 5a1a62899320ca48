import dnsPacket from 'dns-packet';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { helperError } from '#shared/helper/protocol.ts';
import { addresses, names, ports } from '../../lab/network/addresses.ts';
import { findLeaks } from '../../lab/packets/leaks.ts';
import { setKernel } from '../../lab/network/network.ts';
import { curlLimits } from '../../lab/probes/probe.ts';
import { programFile } from '../../lab/runs/programs.ts';
import { attachAs, asUser } from '../support/callers/attach-as.ts';
import { createHelperLab, type HelperLab } from '../support/helper-lab.ts';
import type { TestClient } from '../support/callers/test-client.ts';
import { isExhaustive } from '../../lab/runs/thoroughness.ts';
import { waitLimit } from '../../lab/runs/wait-limit.ts';

/** Users who may use the helper, of numbers that no account has (Debian policy §9.2.2), and the engine's. */
const uid = 64_950;
const otherUid = 64_951;
const engineUid = 64_900;

/** As long as it can be. */
const forMs = 300_000;

/** Redirects to a page of its own, whatever it is asked for. */
const portal = `
  require('node:http').createServer((request, response) => {
    // Who closes before everything is read resets the connection, and the answer with it.
    request.resume().on('end', () => {
      if (request.url.startsWith('/sign-in')) response.end('sign in here');
      else response.writeHead(302, { location: 'http://${names.service}/sign-in' }).end();
    });
  }).listen(3000, '::', () => console.log('serving'));`;

const reachLocal = `exec 3<>/dev/tcp/${addresses.user.ipv4}/3000`;

/** As portals do, it answers for others. */
const answerForService = `table inet captive {
  chain prerouting {
    type nat hook prerouting priority dstnat;
    ip daddr ${addresses.service.ipv4} tcp dport { 80, 8080, 8000 } redirect to :3000
    ip6 daddr ${addresses.service.ipv6} tcp dport { 80, 8080, 8000 } redirect to :3000
  }
}`;

let net: HelperLab;

beforeAll(async () => {
  net = await createHelperLab();
  await net.lab.internet.spawnUntil([process.execPath, '-e', portal], /serving/);
  await net.lab.internet.run(['nft', '-f', '-'], { input: answerForService });
});

const startHelper = (under: string[] = []) =>
  net.start({ under, args: ['--allow-user', String(uid), '--allow-user', String(otherUid)] });

beforeEach(() => startHelper());

afterEach(async () => {
  await net.disconnect();
  await net.end('SIGTERM');
  await net.lab.setGatewayReachable(true);
});

afterAll(async () => {
  await net.lab.internet.run(['nft', 'delete table inet captive']);
  await net[Symbol.asyncDispose]();
});

/** The user's client, of a connection that failed with the kill switch on. */
async function blocked(): Promise<TestClient> {
  const client = await attachAs(net, uid);
  await client.call('connect', net.request({ killSwitch: true }));
  await client.call('disconnect', { reason: 'gateway-unreachable' });
  await client.until('disconnected', { where: (state) => state.blocked === true });
  return client;
}

async function curl(who: number, args: readonly string[]): Promise<{ code: number | null; stdout: string }> {
  return net.lab.user.exec(['setpriv', ...asUser(who), 'curl', '--silent', ...curlLimits(), ...args]);
}

/** What a program of this user gets by the portal's proxy. */
const byProxy = (who: number, proxyPort: number, url: string, ...args: string[]) =>
  curl(who, ['--proxy', `http://127.0.0.1:${proxyPort}`, ...args, url]);

/** The same without any proxy. */
const directly = (who: number, url: string) => curl(who, ['--noproxy', '*', url]);

const host = `http://${addresses.service.ipv4}`;

const datagram = (who: number, to: string, input: string | Uint8Array) =>
  net.lab.user.exec(['setpriv', ...asUser(who), 'bash', '-c', `cat >/dev/udp/${to}`], { input });

const dnsQuery = (marker: string) =>
  dnsPacket.encode({ type: 'query', id: 1, questions: [{ type: 'A', name: `${marker}.${names.probes}` }] });

/** Everything that another program may try, as this user, with the marker in it. */
async function tryEverything(who: number, marker: string): Promise<void> {
  const as = ['setpriv', ...asUser(who)];
  const { user } = net.lab;
  await Promise.all([
    directly(who, `${host}/${marker}`),
    directly(who, `${host}:8080/${marker}`),
    directly(who, `http://[${addresses.service.ipv6}]/${marker}`),
    ...[addresses.resolver.ipv4, addresses.resolver.ipv6].map((address) =>
      datagram(who, `${address}/${ports.dns}`, dnsQuery(marker)),
    ),
    datagram(who, `${addresses.echo.ipv4}/443`, marker),
    user.exec([...as, 'getent', 'ahosts', `${marker}.${names.probes}`], {
      env: { RES_OPTIONS: 'timeout:1 attempts:1' },
    }),
  ]);
}

/** Which of these users got anything out. */
async function leakers(users: readonly number[], marker: string): Promise<number[]> {
  const capture = await net.lab.capture();
  for (const who of users) await tryEverything(who, `${marker}u${who}`);
  const packets = await capture.stop();
  const marked = packets.filter((packet) => packet.payload.includes(marker));
  return users.filter((who) => marked.some((packet) => packet.payload.includes(`${marker}u${who}`)));
}

/** To which other ports, or resolver, the engine's user got anything out. */
async function engineReaches(marker: string): Promise<string[]> {
  const tries = {
    web: () => directly(engineUid, `${host}:8000/${marker}web`),
    datagrams: () => datagram(engineUid, `${addresses.echo.ipv4}/443`, `${marker}datagrams`),
    resolver: () => datagram(engineUid, `${addresses.echo.ipv4}/${ports.dns}`, dnsQuery(`${marker}resolver`)),
  };
  const capture = await net.lab.capture();
  for (const attempt of Object.values(tries)) await attempt();
  const packets = await capture.stop();
  return Object.keys(tries).filter((name) =>
    packets.some(({ payload }) => payload.includes(`${marker}${name}`)),
  );
}

test('blocked by the kill switch, only the user’s proxy gets out, to the portal, until connected', async () => {
  expect(await leakers([uid, otherUid, 0], 'before')).toEqual([uid, otherUid, 0]);
  expect(await engineReaches('before')).toEqual(['web', 'datagrams', 'resolver']);
  const session = await net.signIn();
  const client = await blocked();
  await net.lab.setGatewayReachable(false);
  expect(await leakers([uid, 0], 'blocked')).toEqual([]);

  const other = await attachAs(net, otherUid);
  await expect(other.call('openPortal', { forMs })).rejects.toMatchObject({ code: helperError.notOwner });
  const { proxyPort } = await client.call('openPortal', { forMs });
  const capture = await net.lab.capture();
  const redirected = await byProxy(
    uid,
    proxyPort,
    `http://${names.service}/wanted`,
    '--write-out',
    '%{http_code}',
  );
  expect(redirected.stdout).toBe('302');
  const signIn = { code: 0, stdout: 'sign in here' };
  for (const at of [names.service, `[${addresses.service.ipv6}]`])
    expect(await byProxy(uid, proxyPort, `http://${at}/sign-in`), at).toMatchObject(signIn);
  // What is seen of the proxy shows that others would be seen.
  const seen = findLeaks(await capture.stop(), '/wanted');
  expect(seen).toContainEqual(expect.objectContaining({ kind: 'cleartext' }));
  expect(seen).toContainEqual(expect.objectContaining({ kind: 'dns', name: names.service }));
  expect(await leakers([uid, otherUid, 0], 'open')).toEqual([]);

  // The engine's user gets to no other port and no other resolver.
  expect(await engineReaches('open')).toEqual([]);

  // Another user's programs, and root's, find nobody there.
  for (const who of [otherUid, 0]) expect((await byProxy(who, proxyPort, `${host}/sign-in`)).code).toBe(7);
  // Web pages only, and this machine's own services are none.
  for (const url of [`${host}:8000/`, 'http://127.0.0.1/', `http://${addresses.user.ipv4}/`]) {
    const refused = await byProxy(
      uid,
      proxyPort,
      url,
      '--output',
      '/dev/null',
      '--write-out',
      '%{http_code}',
    );
    expect(refused.stdout).toMatch(/^(403|502|503|504)$/);
  }

  // Nor are they for the proxy that does not know yet that an address is this machine's.
  const reached = (who: number) => net.lab.user.exec(['setpriv', ...asUser(who), 'bash', '-c', reachLocal]);
  const server = await net.lab.user.spawnUntil([process.execPath, '-e', portal], /serving/);
  expect((await reached(uid)).code).toBe(0);
  expect((await reached(engineUid)).code).toBe(1);
  server.kill();

  const form = ['--data', 'name=guest'];
  expect(await byProxy(uid, proxyPort, `http://${names.service}/sign-in`, ...form)).toMatchObject(signIn);
  await net.lab.setGatewayReachable(true);
  await client.call('connect', net.request({ killSwitch: true, session }));
  await client.until('connected');
  await isClosed(proxyPort);
  await expect(client.call('openPortal', { forMs })).rejects.toMatchObject({ code: helperError.wrongState });
});

/** Waits until the proxy is gone and nothing of the engine's user gets out to web pages or resolvers. */
async function isClosed(proxyPort: number): Promise<void> {
  await isProxyGone(proxyPort);
  // Where nobody has asked for that, the proxy ends first.
  await expect.poll(() => directly(engineUid, `${host}/sign-in`)).toMatchObject({ code: 7 });
  expect((await directly(engineUid, `http://${names.service}/sign-in`)).code).not.toBe(0);
}

if (isExhaustive)
  test('where the reverse path is filtered strictly, the portal answers over IPv4 too, and nobody else gets out', async () => {
    const { user } = net.lab;
    const filters = ['all', 'uplink'].map((device) => `net.ipv4.conf.${device}.rp_filter`);
    const found = await user.run(['sysctl', ...filters]);
    await setKernel(
      user,
      filters.map((filter) => `${filter}=1`),
    );
    try {
      const client = await blocked();
      const rules = () => user.run(['ip', 'rule']);
      const before = await rules();
      const { proxyPort } = await client.call('openPortal', { forMs });
      expect((await byProxy(uid, proxyPort, `${host}/sign-in`)).stdout).toBe('sign in here');
      expect(await leakers([uid, 0], 'strict')).toEqual([]);
      await client.call('closePortal', {});
      expect(await rules()).toBe(before);
    } finally {
      await setKernel(user, found.trim().replaceAll(' ', '').split('\n'));
    }
  });

if (isExhaustive)
  test('the portal closes by itself when its time is over', async () => {
    const client = await blocked();
    const { proxyPort } = await client.call('openPortal', { forMs: 3000 });
    await isClosed(proxyPort);
    expect(await net.lab.user.run(['nft', 'list', 'ruleset'])).not.toContain('portal');
    expect(client.states.at(-1)).toMatchObject({ state: 'disconnected', blocked: true });
  });

test('the portal closes with its call, time, client or connection, and with the helper', async () => {
  const client = await blocked();
  const first = await client.call('openPortal', { forMs });
  expect((await directly(engineUid, `${host}/sign-in`)).stdout).toBe('sign in here');
  expect((await directly(engineUid, `http://${names.service}/sign-in`)).stdout).toBe('sign in here');
  await client.call('closePortal', {});
  await isClosed(first.proxyPort);

  const short = await client.call('openPortal', { forMs: 3000 });
  await isClosed(short.proxyPort);
  expect(client.states.at(-1)).toMatchObject({ state: 'disconnected', blocked: true });

  const visitor = await attachAs(net, uid);
  const second = await visitor.call('openPortal', { forMs });
  visitor.socket.destroy();
  await isClosed(second.proxyPort);

  const third = await client.call('openPortal', { forMs });
  await client.call('disconnect', {});
  await isProxyGone(third.proxyPort);
  expect(await net.lab.user.run(['nft', 'list', 'ruleset'])).not.toContain('portal');

  // A helper that is killed: the kernel closes it, and the next helper has none.
  const owner = await blocked();
  const { proxyPort } = await owner.call('openPortal', { forMs: 5000 });
  await net.end('SIGKILL');
  await isProxyGone(proxyPort);
  expect(await leakers([uid, 0], 'killed')).toEqual([]);
  await expect
    .poll(() => directly(engineUid, `${host}/sign-in`), { timeout: waitLimit(30_000), interval: 500 })
    .toMatchObject({ code: 7 });
  await startHelper();
  if (!isExhaustive) return;

  const again = await attachAs(net, uid);
  const { proxyPort: next } = await again.call('openPortal', { forMs });
  await net.end('SIGKILL');
  await startHelper();
  await isClosed(next);
  expect(await net.lab.user.run(['nft', 'list', 'ruleset'])).not.toContain('portal');
});

if (isExhaustive)
  test('once it is closed, a connection that waits for its next attempt makes it at once', async () => {
    await net.end('SIGTERM');
    const preload = programFile('tests/helper/support/failures/endless-back-off.ts');
    await startHelper(['env', `NODE_OPTIONS=--import=${preload}`]);
    const client = await attachAs(net, uid);
    await client.call('connect', net.request({ killSwitch: true, session: await net.signIn() }));
    await client.until('connected');
    // As a network does that nobody has signed in to.
    const gate = `table inet gate {
    chain forward {
      type filter hook forward priority filter
      ip daddr ${addresses.gateway.ipv4} reject
    }
  }`;
    await net.lab.internet.run(['nft', '-f', '-'], { input: gate });
    const killed = client.states.length;
    await net.killEngines();
    /** Opens the way and closes it again while the attempt with this number is waited for, which is then made. */
    async function closeBefore(attempt: number, mend: () => Promise<unknown>): Promise<void> {
      const isNext = (state: { attempt: number }) => state.attempt === attempt;
      await client.until('connecting', {
        seen: killed,
        where: (state) => state.phase === 'waiting' && isNext(state),
      });
      await client.call('openPortal', { forMs });
      await mend();
      expect(client.states.at(-1), 'it still waits').toMatchObject({ phase: 'waiting', attempt });
      const seen = client.states.length;
      await client.call('closePortal', {});
      await client.until('connecting', {
        seen,
        where: (state) => state.phase === 'handshaking' && isNext(state),
      });
    }
    await closeBefore(2, () => Promise.resolve());
    const seen = client.states.length;
    await closeBefore(3, () => net.lab.internet.run(['nft', 'delete table inet gate']));
    await client.until('connected', { seen });
  });

const isProxyGone = (proxyPort: number) =>
  expect.poll(() => byProxy(uid, proxyPort, `${host}/sign-in`), { interval: 300 }).toMatchObject({ code: 7 });

if (isExhaustive)
  test('somebody who flushes the rules opens nothing for longer', async () => {
    const client = await blocked();
    const { proxyPort } = await client.call('openPortal', { forMs: 6000 });
    await net.lab.user.run(['nft', 'flush', 'ruleset']);
    await expect.poll(() => net.lab.user.run(['nft', 'list', 'ruleset'])).toContain('portal');
    expect(await leakers([uid, 0], 'flushed')).toEqual([]);
    await isClosed(proxyPort);
  });

if (isExhaustive)
  test('the portal is for the owner of a connection, and only while traffic is blocked', async () => {
    const wrongState = { code: helperError.wrongState };
    const client = await attachAs(net, uid);
    await expect(client.call('openPortal', { forMs })).rejects.toMatchObject(wrongState);
    await client.call('connect', net.request({ killSwitch: true }));
    const other = await attachAs(net, otherUid);
    await expect(other.call('openPortal', { forMs })).rejects.toMatchObject({ code: helperError.notOwner });
    const { proxyPort } = await client.call('openPortal', { forMs });
    expect((await byProxy(uid, proxyPort, `${host}/sign-in`)).stdout).toBe('sign in here');
    const session = await net.signIn();
    await client.call('provideSession', { session });
    await client.until('connected');
    await isClosed(proxyPort);
    await expect(client.call('openPortal', { forMs })).rejects.toMatchObject(wrongState);
  });
