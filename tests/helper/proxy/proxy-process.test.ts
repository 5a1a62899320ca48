import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import path from 'node:path';
import * as fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { ProxyConfiguration } from '../../../helper/proxy/proxy-messages.ts';
import { addresses, names, ports } from '../../lab/network/addresses.ts';
import type { EchoReply } from '../../lab/network/echo.ts';
import type { FarSide } from '../../lab/network/far-side.ts';
import { takeLab } from '../../lab/kept-labs.ts';
import type { Lab } from '../../lab/lab.ts';
import { endProcess, eventually, words } from '../../lab/runs/process.ts';
import { publishPort } from '../../lab/network/publish.ts';
import { casesOf, isExhaustive } from '../../lab/runs/thoroughness.ts';
import { proxyAccount, startProxy, type ProxyProcess } from '../support/proxy/proxy-process.ts';
import { waitLimit } from '../../lab/runs/wait-limit.ts';

let lab: Lab;
let proxy: ProxyProcess;

/** Names that only a resolver on the user's own machine knows. */
const localNames = { loopback: 'loopback.waymaker.test', half: 'half-loopback.waymaker.test' } as const;

beforeAll(async () => {
  lab = await takeLab({ gateway: false });
  // There is no tunnel here: what is inside is reached over the internet, if one knows its address.
  const { inside, gateway } = addresses;
  await lab.internet.run(words(`ip route add ${inside.ipv4} via ${gateway.ipv4}`));
  await lab.internet.run(words(`ip route add ${inside.ipv6} via ${gateway.ipv6}`));
  // What must not be reached through the proxy: a web server on every address of the user's own machine.
  const ownSide: FarSide = {
    zone: {
      [localNames.loopback]: { ipv4: '127.0.0.1', ipv6: '::1' },
      [localNames.half]: { ipv4: addresses.echo.ipv4, ipv6: '::1' },
    },
    resolver: addresses.user,
    echoes: [],
    queries: path.join(lab.directory, 'own-queries'),
  };
  const script = path.resolve(import.meta.dirname, '../../lab/network/far-side.ts');
  await lab.user.spawnUntil([process.execPath, script, JSON.stringify(ownSide)], /serving/);
  proxy = startProxy(lab.user);
});

afterAll(async () => {
  await proxy[Symbol.asyncDispose]();
  for (const address of Object.values(addresses.inside))
    await lab.internet.run(words(`ip route del ${address}`));
  await lab[Symbol.asyncDispose]();
});

/** In place of the one that the tests before have used. */
async function startAnew(): Promise<void> {
  await proxy[Symbol.asyncDispose]();
  proxy = startProxy(lab.user);
}

const insideResolver = { resolvers: [addresses.inside.ipv4] };

/** How curl is told to use the proxy; with SOCKS it has the proxy look the name up. */
const ways = {
  socks: (port: number) => ['--socks5-hostname', `127.0.0.1:${port}`],
  http: (port: number) => ['--proxy', `http://127.0.0.1:${port}`],
  tunnel: (port: number) => ['--proxytunnel', '--proxy', `http://127.0.0.1:${port}`],
} as const;
const wayNames = Object.keys(ways) as (keyof typeof ways)[];
/** Each way in does the same with names and addresses; tests/unit/helper/proxy has what differs. */
const eachWay = casesOf<keyof typeof ways>({ usual: ['socks'], all: wayNames });

async function curl(args: readonly string[], url: string) {
  const always = [
    '--silent',
    '--show-error',
    '--globoff',
    '--noproxy',
    '',
    '--max-time',
    `${waitLimit(20_000) / 1000}`,
  ];
  return await lab.user.exec([
    'curl',
    ...always,
    '--write-out',
    '\n%{http_code} %{http_connect}',
    ...args,
    url,
  ]);
}

async function echoed(args: readonly string[], url: string): Promise<EchoReply> {
  const { stdout, stderr } = await curl(args, url);
  const [reply = '', codes] = stdout.split('\n');
  expect(codes, stderr).toMatch(/^200 /);
  return JSON.parse(reply) as EchoReply;
}

/** What the proxy answered to a request that it did not serve: a SOCKS reply, or an HTTP status. */
async function refusal(way: keyof typeof ways, port: number, url: string): Promise<number> {
  const { stdout, stderr } = await curl(ways[way](port), url);
  const [, status, connectStatus] = /(\d+) (\d+)$/.exec(stdout) ?? [];
  const reply = /\((\d+)\)\s*$/.exec(stderr)?.[1];
  return Number(way === 'socks' ? reply : way === 'http' ? status : connectStatus);
}

const refusals: [string, Parameters<typeof startProxy>[1], RegExp][] = [
  ['root', { args: ['--uid', '0', '--gid', '64900'] }, /not as root/],
  ['root’s group', { args: ['--uid', '64900', '--gid', '0'] }, /not as root/],
  ['nobody in particular', { args: [] }, /--uid, --gid and --listener are needed/],
  ['no number', { args: ['--uid', 'root', '--gid', '64900'] }, /--uid, --gid and --listener are needed/],
  ['a user that may not become another', { setpriv: ['--reuid=64901', '--clear-groups'] }, /EPERM/],
  // Capabilities stay with whoever it becomes (capabilities(7), SECBIT_NO_SETUID_FIXUP).
  ['a process that keeps a way back', { setpriv: ['--securebits=+no_setuid_fixup'] }, /a way back to root/],
];
test.each(isExhaustive ? refusals : refusals.filter(([what]) => /^root$|keeps/.test(what)))(
  'the process does not run as %s',
  async (_what, options, message) => {
    await using refused = startProxy(lab.user, options);
    refused.write('{}\n');
    expect(await refused.ended).not.toBe(0);
    expect(refused.warnings()).toMatch(message);
  },
);

describe('the process', () => {
  // These end it.
  afterEach(startAnew);

  test('is the unprivileged user for good, keeps its port, and ends with its standard input', async () => {
    const { port } = await proxy.configure();
    const status = await readFile(`/proc/${proxy.pid}/status`, 'utf8');
    const field = (name: string) =>
      new RegExp(`^${name}:[ \\t]*(.*?)[ \\t]*$`, 'm').exec(status)?.[1]?.split(/\s+/);
    expect(field('Uid')).toEqual(Array(4).fill(String(proxyAccount.uid)));
    expect(field('Gid')).toEqual(Array(4).fill(String(proxyAccount.gid)));
    expect(field('Groups')).toEqual(['']);
    for (const set of ['CapInh', 'CapPrm', 'CapEff', 'CapAmb']) expect(field(set)).toEqual(['0'.repeat(16)]);
    expect(field('NoNewPrivs')).toEqual(['1']);
    // proc_pid_net(5): the eighth column is the user who made the socket, the second its address in hexadecimal.
    const sockets = (await readFile(`/proc/${proxy.pid}/net/tcp`, 'utf8')).split('\n');
    const local = `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`;
    const listening = sockets
      .map((line) => line.trim().split(/\s+/))
      .filter((columns) => columns[1] === local);
    expect(listening.map((columns) => columns[7])).toEqual([String(proxyAccount.uid)]);

    const first = await proxy.configure({ routeDomains: ['a.test'] });
    expect(first.port).toBe(port);
    const same = await proxy.configure({
      ...insideResolver,
      routeDomains: ['A.test', '*.a.test', 'no name'],
    });
    expect(same).toEqual(first);
    const second = await proxy.configure({ routeDomains: ['b.test'] });
    expect(second.port).toBe(first.port);
    expect(second.pacPath).not.toBe(first.pacPath);
    const statusOf = async ({ pacPath }: typeof first) =>
      (await curl([], `http://127.0.0.1:${first.port}${pacPath}`)).stdout.split('\n').at(-1);
    // Who has not heard of the new address yet is not left without a file, which would mean going out directly.
    expect([await statusOf(first), await statusOf(second)]).toEqual(['200 000', '200 000']);
    expect(await proxy.configure({ routeDomains: ['a.test'] })).toEqual(first);

    await using published = await publishPort(lab.user, lab.directory, { host: '127.0.0.1', port });
    const client = connect(published.port, '127.0.0.1');
    client.on('error', () => undefined);
    await once(client, 'connect');
    client.write('GET http://');
    const closed = once(client, 'close');
    proxy.child.stdin?.end();
    expect(await proxy.ended).toBe(0);
    await closed;
  });

  if (isExhaustive)
    test('listens where only root may, and nowhere if others have all those ports', async () => {
      const others = [startProxy(lab.user), startProxy(lab.user)];
      const answers = await Promise.all([proxy, ...others].map((each) => each.configure()));
      const found = answers.map(({ port }) => port);
      expect(new Set(found).size).toBe(3);
      expect(Math.max(...found)).toBeLessThan(1024);
      await using late = startProxy(lab.user);
      await expect(late.configure()).rejects.toThrow(/no port for the proxy is free/);
      for (const other of others) await other[Symbol.asyncDispose]();
    });

  if (isExhaustive)
    test('the log says where other users could take its port', async () => {
      await proxy.configure();
      expect(proxy.warnings()).toBe('');
      const setStart = (start: number) =>
        lab.user.run(['sysctl', '-qw', `net.ipv4.ip_unprivileged_port_start=${start}`]);
      await setStart(0);
      try {
        await using another = startProxy(lab.user);
        await another.configure();
        expect(another.warnings()).toMatch(/any user could take the port/);
      } finally {
        await setStart(1024);
      }
    });

  const odd = '{"resolvers":["localhost"]}';
  test.each(casesOf({ usual: [odd], all: ['no JSON', '{}', odd, ''] }))(
    'fails on the line %j',
    async (line) => {
      proxy.write(`${line}\n`);
      expect(await proxy.ended).toBe(1);
      expect(proxy.warnings()).toBe('a line was no configuration\n');
    },
  );
});

describe.each(eachWay)('by %s', (way) => {
  test('names are looked up at the resolver that it was told, and nowhere else', async () => {
    const { port } = await proxy.configure(insideResolver);
    const before = (await lab.internet.queries()).length;
    const reply = await echoed(ways[way](port), `http://${names.where}/path?q`);
    expect(reply).toMatchObject({ host: names.where, path: '/path?q', address: addresses.user.ipv6 });
    expect(reply.destination).toBe(addresses.inside.ipv6);
    expect((await lab.internet.queries()).slice(before)).toEqual([]);
    // The machine's own resolver has another answer.
    expect((await echoed([], `http://${names.where}/`)).destination).toBe(addresses.direct.ipv6);
  });

  test('only families that there are', async () => {
    const { port } = await proxy.configure({ ...insideResolver, families: { ipv4: true, ipv6: false } });
    expect((await echoed(ways[way](port), `http://${names.where}/`)).destination).toBe(addresses.inside.ipv4);
    const status = { socks: 3, http: 502, tunnel: 502 }[way];
    expect(await refusal(way, port, `http://[${addresses.echo.ipv6}]/`)).toBe(status);
    await proxy.configure({ ...insideResolver, families: { ipv4: false, ipv6: true } });
    expect((await echoed(ways[way](port), `http://${names.where}/`)).destination).toBe(addresses.inside.ipv6);
    expect(await refusal(way, port, `http://${addresses.echo.ipv4}/`)).toBe(status);
  });

  test('addresses need no resolver', async () => {
    const { port } = await proxy.configure();
    const { ipv4, ipv6 } = addresses.echo;
    expect((await echoed(ways[way](port), `http://${ipv4}/`)).destination).toBe(ipv4);
    expect((await echoed(ways[way](port), `http://[${ipv6}]/`)).destination).toBe(ipv6);
  });

  const own = addresses.user;
  const few = ['127.0.0.1', `[::ffff:${own.ipv4}]`, localNames.loopback];
  const all = [
    ...few,
    '127.1.2.3',
    '0.0.0.0',
    '[::1]',
    '[::]',
    '[::ffff:127.0.0.1]',
    '[::ffff:0.0.0.0]',
    own.ipv4,
    `[${own.ipv6}]`,
    '169.254.169.254',
    '224.0.0.1',
    '255.255.255.255',
    '[ff02::1]',
    'localhost',
  ];
  // tests/unit/helper/proxy/destination.test.ts has all of them as well.
  test.each(casesOf({ usual: few, all }))('%s is refused', async (host) => {
    const { port } = await proxy.configure({ resolvers: [own.ipv4] });
    expect(await refusal(way, port, `http://${host}/`)).toBe({ socks: 2, http: 403, tunnel: 403 }[way]);
  });

  test('it is what was refused that stood in the way', async () => {
    expect((await echoed([], 'http://127.0.0.1/')).destination).toBe('127.0.0.1');
    expect((await echoed([], `http://[${own.ipv6}]/`)).destination).toBe(own.ipv6);
    // A name with an address that is refused and another one.
    const { port } = await proxy.configure({ resolvers: [own.ipv4] });
    const reply = await echoed(ways[way](port), `http://${localNames.half}/`);
    expect(reply.destination).toBe(addresses.echo.ipv4);
  });

  test('blocked names are refused, more specific routed ones not', async () => {
    const { port } = await proxy.configure({
      ...insideResolver,
      blockedDomains: ['waymaker.test'],
      routeDomains: [names.echo],
    });
    const status = { socks: 2, http: 403, tunnel: 403 }[way];
    expect(await refusal(way, port, `http://${names.where}/`)).toBe(status);
    expect(await refusal(way, port, `http://WAYMAKER.test./`)).toBe(status);
    expect((await echoed(ways[way](port), `http://${names.echo}/`)).destination).toBe(addresses.echo.ipv6);
  });

  test('what cannot be reached is told apart', async () => {
    const { port } = await proxy.configure();
    const unknown = { socks: 4, http: 502, tunnel: 502 }[way];
    expect(await refusal(way, port, `http://${names.where}/`)).toBe(unknown);
    await proxy.configure(insideResolver);
    expect(await refusal(way, port, 'http://absent.waymaker.test/')).toBe(unknown);
    // Nobody listens there.
    const refused = { socks: 5, http: 502, tunnel: 502 }[way];
    expect(await refusal(way, port, `http://${addresses.echo.ipv4}:81/`)).toBe(refused);
    expect(await refusal(way, port, `http://${names.echo}:81/`)).toBe(refused);
  });
});

/** Opens connections to a port of the user's machine from here. */
async function reachFromHere(port: number) {
  const published = await publishPort(lab.user, lab.directory, { host: '127.0.0.1', port });
  return {
    async open(): Promise<Socket> {
      const socket = connect({ port: published.port, host: '127.0.0.1', allowHalfOpen: true });
      socket.on('error', () => undefined);
      await once(socket, 'connect');
      return socket;
    },
    [Symbol.asyncDispose]: () => published[Symbol.asyncDispose](),
  };
}

const socksRequest = ([a = 0, b = 0, c = 0, d = 0]: number[], port: number) =>
  Buffer.from([5, 1, 0, 5, 1, 0, 1, a, b, c, d, port >> 8, port & 0xff]);
const echoRequest = socksRequest(addresses.echo.ipv4.split('.').map(Number), ports.echo);

test('a connection goes on when the configuration changes', async () => {
  const { port } = await proxy.configure();
  await using here = await reachFromHere(port);
  const client = await here.open();
  let received = '';
  client.on('data', (chunk: Buffer) => {
    received += chunk.toString('latin1');
  });
  const hasCome = (text: string) => eventually(text, () => received.endsWith(text) || undefined);
  client.write(Buffer.concat([echoRequest, Buffer.from('before')]));
  await hasCome('before');
  await proxy.configure({ families: { ipv4: false, ipv6: false } });
  client.write('after');
  await hasCome('after');
  expect(await refusal('socks', port, `http://${addresses.echo.ipv4}/`)).toBe(3);
  client.destroy();
});

if (isExhaustive)
  test('a client that is done before its destination is reached gets the end of the answer', async () => {
    const { port } = await proxy.configure();
    await using here = await reachFromHere(port);
    const client = await here.open();
    let answer = Buffer.alloc(0);
    client.on('data', (bytes: Buffer) => {
      answer = Buffer.concat([answer, bytes]);
    });
    client.end(echoRequest);
    await once(client, 'end');
    expect([...answer.subarray(0, 4)]).toEqual([5, 0, 5, 0]);
  });

test('beyond 1024 connections at a time, some that ask nothing are closed, and never one that asks', async () => {
  const { port } = await proxy.configure();
  const script = `
    import { connect } from 'node:net';
    const sockets = Array.from({ length: 1100 }, () => connect(${port}, '127.0.0.1'));
    let closed = 0;
    for (const socket of sockets) socket.on('error', () => {}).on('close', () => { closed += 1; });
    // Connections are accepted in their order: once this one is answered, the proxy has decided about all before it.
    const last = connect(${port}, '127.0.0.1', () => last.write(Buffer.from([5, 1, 0])));
    await new Promise((resolve) => last.once('data', resolve));
    while (closed < ${1101 - 1024}) await new Promise((resolve) => setImmediate(resolve));
    // What else has come is seen in one more turn.
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    console.log(closed, 'closed');`;
  const program = [process.execPath, '--input-type=module', '--eval', script];
  const silent = await lab.user.spawnUntil(program, new RegExp(`^${1101 - 1024} closed$`, 'm'));
  const { ipv4 } = addresses.echo;
  // Each is in the place of one that is silent; who sends half a request is no better.
  await using here = await reachFromHere(port);
  const halves = await Promise.all(Array.from({ length: 200 }, () => here.open()));
  halves.forEach((client, index) => client.write(index % 2 ? 'GET http://' : Buffer.from([5, 1, 0, 5, 1])));
  for (const way of wayNames)
    expect((await echoed(ways[way](port), `http://${ipv4}/`)).destination).toBe(ipv4);
  await endProcess(silent, 'SIGKILL');
  for (const client of halves) client.destroy();
  expect((await echoed(ways.socks(port), `http://${ipv4}/`)).destination).toBe(ipv4);
});

/** Bytes of all kinds, many of which begin like something that the proxy knows, and some that get through. */
const hostileBytes = fc.oneof(
  fc.uint8Array({ maxLength: 1000 }).map((bytes) => Buffer.from(bytes)),
  fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from([5, 1, 0, ...bytes])),
  fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from([5, 1, 0, 5, 1, 0, ...bytes])),
  fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.concat([echoRequest, bytes])),
  fc
    .tuple(
      fc.constantFrom('GET', 'CONNECT', 'POST', 'OPTIONS', 'PRI'),
      fc.oneof(
        fc.webUrl(),
        fc.string({ unit: 'binary', maxLength: 100 }),
        fc.constantFrom('/', `http://${addresses.echo.ipv4}/`, `${addresses.echo.ipv4}:7`, 'http://[::1]'),
      ),
      fc.array(
        fc.constantFrom(
          'Transfer-Encoding: chunked',
          'Content-Length: 3',
          'Expect: 100-continue',
          'Upgrade: x',
          'Connection: upgrade',
          ': ',
          'Host: a',
        ),
      ),
      fc.uint8Array({ maxLength: 50 }),
    )
    .map(([method, target, fields, body]) =>
      Buffer.concat([Buffer.from([`${method} ${target} HTTP/1.1`, ...fields, '', ''].join('\r\n')), body]),
    ),
);

test('clients that send anything do no harm', async () => {
  await startAnew();
  const { port } = await proxy.configure(insideResolver);
  await echoed(ways.http(port), `http://${addresses.echo.ipv4}/`);
  const openFiles = async () => (await readdir(`/proc/${proxy.pid}/fd`)).length;
  const before = await openFiles();
  await using here = await reachFromHere(port);
  await fc.assert(
    fc.asyncProperty(hostileBytes, fc.boolean(), async (bytes, impatient) => {
      const client = await here.open();
      client.resume();
      const closed = once(client, 'close');
      if (impatient) client.write(bytes, () => void client.destroy());
      else client.end(bytes);
      await closed;
    }),
    { numRuns: isExhaustive ? 2000 : 60 },
  );
  expect(proxy.child.exitCode).toBeNull();
  expect((await echoed(ways.http(port), `http://${addresses.echo.ipv4}/`)).destination).toBe(
    addresses.echo.ipv4,
  );
  await eventually('every connection is closed', async () =>
    (await openFiles()) <= before ? true : undefined,
  );
  expect(proxy.warnings()).toBe('');
});

if (isExhaustive)
  test('the real list comes in one line', async () => {
    const file = path.resolve(import.meta.dirname, '../../fixtures/route-lists/cn-domains.txt');
    const routeDomains = (await readFile(file, 'utf8')).split('\n').filter(Boolean);
    const configuration: Partial<ProxyConfiguration> = { ...insideResolver, routeDomains };
    const { port, pacPath } = await proxy.configure(configuration);
    const { stdout } = await curl([], `http://127.0.0.1:${port}${pacPath}`);
    expect(stdout).toContain('FindProxyForURL');
    expect(stdout.length).toBeGreaterThan(500_000);
    expect(stdout.length).toBeLessThan(1024 * 1024);
  });
