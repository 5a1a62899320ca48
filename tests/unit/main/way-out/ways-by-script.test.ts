import { once } from 'node:events';
import { createServer } from 'node:http';
import { createServer as createTcpServer, type AddressInfo } from 'node:net';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { createProxyPasswords } from '../../../../src/main/way-out/proxy-passwords.ts';
import type { ProxyRule } from '../../../../src/main/way-out/read-proxy-setting.ts';
import { createWaysOut } from '../../../../src/main/way-out/ways-out.ts';
import { enterCredentials } from '../support/enter-credentials.ts';
import { createTestKeychain } from '../support/keychain.ts';
import { createTestLog } from '../support/log.ts';
import { ownAddress } from '../support/own-address.ts';

const log = pino({ enabled: false });

/** A port on an address of this machine's that others can reach, too, where connections are accepted. */
async function openPort() {
  const own = ownAddress();
  const server = createTcpServer((socket) => socket.destroy());
  server.listen(0, own);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { own, port, [Symbol.asyncDispose]: async () => void server.close() };
}

/** A server with the script, which can change or go away, and ways that are chosen by it. */
async function scripted(script: string, found: Readonly<Record<string, string[]>> = {}, host = '127.0.0.1') {
  const now = { script, isOpen: true, isThere: true };
  let count = 0;
  const server = createServer((_request, reply) => {
    count += 1;
    if (now.isThere) reply.end(now.script);
    else reply.writeHead(503).end();
  });
  server.listen(0, host);
  await once(server, 'listening');
  const address = `http://${host}:${(server.address() as AddressInfo).port}/proxy.pac`;
  const keychain = createTestKeychain();
  const ways = createWaysOut({
    read: () => Promise.resolve({ kind: 'script', address } as const),
    passwords: createProxyPasswords(keychain, log),
    isOpen: () => now.isOpen,
    find: (name) =>
      found[name] ? Promise.resolve(found[name]) : Promise.reject(new Error(`getaddrinfo ENOTFOUND ${name}`)),
    log,
  });
  return { ways, now, address, asked: () => count, [Symbol.dispose]: () => void server.close() };
}
const find = (body: string) => `function FindProxyForURL(url, host) { ${body} }`;

test('each host is reached as the script says', async () => {
  using at = await scripted(
    find(
      'return host === "gw.example" ? "PROXY 192.0.2.1:3128" : host === "s.example" ? "SOCKS5 192.0.2.2:1080" : "DIRECT";',
    ),
  );
  const { ways } = at;
  expect(ways.knows('gw.example')).toBe(false);
  await ways.learn(['gw.example', 's.example', 'd.example']);
  expect(ways.to('gw.example')).toMatchObject({ protocol: 'http', port: 3128, addresses: ['192.0.2.1'] });
  expect(ways.to('s.example')).toMatchObject({ protocol: 'socks5', port: 1080, addresses: ['192.0.2.2'] });
  expect(ways.to('d.example')).toBeUndefined();
  expect(ways.knows('d.example')).toBe(true);
  expect(ways.knows('other.example')).toBe(false);
});

test('the script that the network names is used where the desktop looks for one, and is looked for while traffic is open', async () => {
  using at = await scripted(find('return "PROXY 192.0.2.1:3128";'), {}, ownAddress());
  let looked = 0;
  const network: { names: string | undefined } = { names: at.address };
  const other = { protocol: 'http', host: '192.0.2.7', port: 3128 } as const;
  const ways = createWaysOut({
    read: () => Promise.resolve({ kind: 'discovery', otherwise: { proxy: other, exceptions: [] } } as const),
    passwords: createProxyPasswords(createTestKeychain(), log),
    isOpen: () => at.now.isOpen,
    discover() {
      looked += 1;
      return Promise.resolve(network.names === undefined ? undefined : { address: network.names });
    },
    log,
  });
  await ways.learn(['gw.example']);
  expect(ways.to('gw.example')).toMatchObject({ host: '192.0.2.1', isOfNetwork: true });
  expect(ways.summary()).toEqual({ kind: 'discovery', hasScript: true });
  at.now.isOpen = false;
  await ways.refresh();
  expect(looked).toBe(1);
  expect(ways.to('gw.example')).toMatchObject({ host: '192.0.2.1' });
  at.now.isOpen = true;
  // Another network, which names none.
  network.names = undefined;
  await ways.refresh();
  expect(ways.to('gw.example')).toMatchObject({ host: '192.0.2.7' });
  expect(ways.to('gw.example')).not.toHaveProperty('isOfNetwork');
});

test('what is entered for a proxy that the network names is kept nowhere, and nothing that was kept goes to it', async () => {
  using at = await scripted(find('return "PROXY 192.0.2.1:3128";'), {}, ownAddress());
  const network = { names: at.address };
  const keychain = createTestKeychain();
  const passwords = createProxyPasswords(keychain, log);
  const kept = { username: 'guest', password: 'of-the-office', realm: 'Office' };
  const proxy = { protocol: 'http', host: '192.0.2.1', port: 3128 } as const;
  await passwords.keep(proxy, kept, ['192.0.2.1']);
  const before = [...keychain.secrets];
  const setting: { rule: ProxyRule } = { rule: { kind: 'discovery', otherwise: undefined } };
  const ways = createWaysOut({
    read: () => Promise.resolve(setting.rule),
    passwords,
    isOpen: () => true,
    discover: () => Promise.resolve({ address: network.names }),
    log,
  });
  const password = async () => {
    await ways.refresh();
    await ways.learn(['gw.example']);
    return ways.to('gw.example')?.credentials?.password;
  };
  expect(await password()).toBeUndefined();
  await enterCredentials(ways, { username: 'guest', password: 'of-the-hotel', realm: 'Hotel' });
  expect(await password(), 'on this network').toBe('of-the-hotel');
  expect([...keychain.secrets]).toEqual(before);
  // Another network, which names a script elsewhere, with the same proxy in it.
  network.names = `${at.address}?other`;
  expect(await password()).toBeUndefined();
  setting.rule = { kind: 'script', address: at.address };
  expect(await password(), 'positive control').toBe('of-the-office');
});

test('what a server sends in place of a script does not fill the log', async () => {
  const sent = 'not-http '.repeat(5_000);
  const server = createTcpServer((socket) => {
    socket.on('error', () => undefined).once('data', () => socket.end(sent));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const logged = createTestLog();
  const ways = createWaysOut({
    read: () => Promise.resolve({ kind: 'script', address: `http://127.0.0.1:${port}/` } as const),
    passwords: createProxyPasswords(createTestKeychain(), logged.log),
    isOpen: () => true,
    log: logged.log,
  });
  await ways.refresh();
  server.close();
  expect(logged.text()).toContain('cannot be had');
  // What Node tells of it, and not the answer itself.
  expect(logged.text()).toContain('Parse Error');
  expect(logged.text().length).toBeLessThan(1_000);
});

test('a script that names other proxies for each host has some of them looked up, and no more', async () => {
  const looked = new Set<string>();
  const names = (host: string) => [1, 2, 3, 4].map((number) => `p${number}.${host}`);
  const hosts = Array.from({ length: 40 }, (_, number) => `gw${number}.example`);
  const found = Object.fromEntries(
    hosts.flatMap(names).map((name) => [
      name,
      {
        get: () => {
          looked.add(name);
          return ['127.0.0.1'];
        },
        enumerable: true,
      },
    ]),
  );
  using at = await scripted(
    find('return [1, 2, 3, 4].map(function (n) { return "PROXY p" + n + "." + host + ":3128"; }).join(";");'),
    Object.defineProperties({}, found),
  );
  await at.ways.learn(hosts);
  expect(looked.size).toBeGreaterThan(3);
  expect(looked.size).toBeLessThanOrEqual(32);
  expect(hosts.every((host) => at.ways.knows(host))).toBe(true);
});

test('a script that changes is asked again, but what it said counts while traffic is blocked', async () => {
  using at = await scripted(find('return "PROXY 192.0.2.1:3128";'));
  const { ways, now } = at;
  await ways.learn(['gw.example']);
  now.script = find('return "PROXY 192.0.2.9:3128";');
  now.isOpen = false;
  await ways.refresh();
  await ways.learn(['new.example']);
  expect(ways.to('gw.example')?.addresses).toEqual(['192.0.2.1']);
  expect(ways.knows('new.example')).toBe(false);
  now.isOpen = true;
  await ways.refresh();
  expect(ways.to('gw.example')?.addresses).toEqual(['192.0.2.9']);
  // At home, with the address of an office's script.
  now.isThere = false;
  await ways.refresh();
  expect(ways.to('gw.example')).toBeUndefined();
});

test('the first of several proxies that answers is taken, with those that can take its place', async () => {
  await using open = await openPort();
  const { own, port } = open;
  using at = await scripted(
    find(
      `return "HTTPS x.example:1; PROXY 127.0.0.2:${port}; PROXY ${own}:1; PROXY gone.example:3128; PROXY ${own}:${port}; PROXY 192.0.2.1:${port}; PROXY 192.0.2.2:1; DIRECT";`,
    ),
  );
  await at.ways.learn(['gw.example']);
  expect(at.ways.to('gw.example')).toMatchObject({ port, addresses: [own, '192.0.2.1'] });
});

test('the password for one proxy is not sent to those that took its place without one', async () => {
  await using open = await openPort();
  const { own, port } = open;
  using at = await scripted(find(`return "PROXY ${own}:${port}; PROXY 192.0.2.1:${port}";`));
  await at.ways.learn(['gw.example']);
  const way = at.ways.to('gw.example');
  expect(way?.addresses).toEqual([own, '192.0.2.1']);
  if (way) await at.ways.setCredentials(way, { username: 'guest', password: 'secret' });
  expect(at.ways.to('gw.example')).toMatchObject({
    credentials: { password: 'secret' },
    addresses: [own],
  });
});

test('while traffic is blocked, or goes through a tunnel, no script is fetched that was not there before', async () => {
  using at = await scripted(find('return "PROXY 192.0.2.1:3128";'));
  at.now.isOpen = false;
  await at.ways.refresh();
  expect(at.asked()).toBe(0);
  at.now.isOpen = true;
  await at.ways.refresh();
  await at.ways.learn(['gw.example']);
  expect(at.ways.to('gw.example')?.addresses).toEqual(['192.0.2.1']);
});

test('a script is fetched after all if the tunnel ends while the settings are read', async () => {
  using at = await scripted(find('return "PROXY 192.0.2.1:3128";'));
  let asked = 0;
  Object.defineProperty(at.now, 'isOpen', { get: () => (asked += 1) > 2 });
  await at.ways.refresh();
  await at.ways.learn(['gw.example']);
  expect(at.ways.to('gw.example')?.addresses).toEqual(['192.0.2.1']);
});

test('what a script says counts only if traffic flowed until it had said it', async () => {
  const looked: string[] = [];
  using at = await scripted(find('return dnsResolve("p.example") ? "PROXY 192.0.2.1:3128" : "DIRECT";'), {
    get 'p.example'() {
      looked.push('p.example');
      at.now.isOpen = false;
      return [];
    },
  });
  await at.ways.learn(['gw.example']);
  expect(looked.length).toBeGreaterThan(0);
  expect(at.ways.knows('gw.example')).toBe(false);
});

test('a script that is broken, or names nothing that is supported, leaves hosts to be reached directly', async () => {
  for (const script of [
    find('throw 1;'),
    '<html>',
    find('return "HTTPS p.example:443";'),
    find('return 5;'),
  ]) {
    using at = await scripted(script);
    await at.ways.learn(['gw.example']);
    expect(at.ways.to('gw.example')).toBeUndefined();
    expect(at.ways.knows('gw.example')).toBe(true);
  }
});
