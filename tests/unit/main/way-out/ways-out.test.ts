import { once } from 'node:events';
import { createServer } from 'node:http';
import { createServer as createTcpServer, type AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import type { GatewayAddresses } from '../../../../src/main/gateway/gateway-addresses.ts';
import { addressesThroughProxy } from '../../../../src/main/way-out/addresses-through-proxy.ts';
import { createProxyPasswords } from '../../../../src/main/way-out/proxy-passwords.ts';
import { readProxyUrl } from '../../../../src/main/way-out/proxy-setting.ts';
import type { ProxyRule } from '../../../../src/main/way-out/read-proxy-setting.ts';
import { createWaysOut } from '../../../../src/main/way-out/ways-out.ts';

const log = pino({ enabled: false });

function emptyKeychain() {
  const secrets = new Map<string, string>();
  const keychain = {
    read: (account: string) => Promise.resolve(secrets.get(account) ?? null),
    write: async (account: string, secret: string) => void secrets.set(account, secret),
    remove: async (account: string) => void secrets.delete(account),
  };
  return { secrets, keychain };
}

function waysWith(proxy: string | undefined, found: readonly string[] = ['192.0.2.1']) {
  const { secrets, keychain } = emptyKeychain();
  const setting = { proxy, found };
  const ways = createWaysOut({
    read(): Promise<ProxyRule | undefined> {
      const place = setting.proxy === undefined ? undefined : readProxyUrl(setting.proxy);
      return Promise.resolve(place && { kind: 'proxy', proxy: place, exceptions: ['inside.example'] });
    },
    isOpen: () => true,
    passwords: createProxyPasswords(keychain, log),
    find: () => Promise.resolve([...setting.found]),
    log,
  });
  return { ways, setting, secrets };
}

test('hosts are reached through the proxy that is currently set, unless they are listed as exceptions', async () => {
  const { ways, setting } = waysWith('proxy.example:3128');
  expect(ways.to('gw.example')).toBeUndefined();
  await ways.refresh();
  expect(ways.to('gw.example')).toMatchObject({ protocol: 'http', port: 3128, addresses: ['192.0.2.1'] });
  expect(ways.to('gw.inside.example')).toBeUndefined();
  // Its name cannot be looked up any more, but was before.
  setting.found = [];
  await ways.refresh();
  expect(ways.to('gw.example')?.addresses).toEqual(['192.0.2.1']);
  setting.proxy = undefined;
  await ways.refresh();
  expect(ways.to('gw.example')).toBeUndefined();
});

test('a proxy on this computer is not used: what it sends would have to go through the tunnel', async () => {
  for (const [proxy, found] of [
    ['127.0.0.1:3128', []],
    ['localhost:3128', ['127.0.0.1', '::1']],
  ] as const) {
    const { ways } = waysWith(proxy, found);
    await ways.refresh();
    expect(ways.to('gw.example')).toBeUndefined();
  }
});

test('the credentials that the user enters for a proxy are used at once, and kept in the keychain', async () => {
  const { ways, secrets } = waysWith('proxy.example:3128');
  await ways.refresh();
  const proxy = ways.to('gw.example');
  const credentials = { username: 'guest', password: 'secret' };
  if (proxy) await ways.setCredentials(proxy, credentials);
  expect(ways.to('gw.example')?.credentials).toEqual(credentials);
  expect([...secrets.keys()]).toEqual(['proxy proxy.example 3128']);
  await ways.refresh();
  expect(ways.to('gw.example')?.credentials).toEqual(credentials);
});

test('a gateway behind a proxy is at the proxy’s addresses, and its own are left as they were', async () => {
  const { ways, setting } = waysWith('proxy.example:3128');
  const remembered: string[] = [];
  const own: GatewayAddresses = {
    known: () => ['203.0.113.1'],
    resolve: () => Promise.resolve(['203.0.113.1']),
    learnMore: () => Promise.resolve(),
    isFresh: () => false,
    remembered: () => '203.0.113.1',
    remember: (_host, address) => remembered.push(address),
  };
  const addresses = addressesThroughProxy(own, ways);
  await ways.refresh();
  expect(addresses.known('gw.example')).toEqual(['192.0.2.1']);
  expect(await addresses.resolve('gw.example')).toEqual(['192.0.2.1']);
  addresses.remember('gw.example', '192.0.2.1');
  expect(remembered).toEqual([]);
  expect(addresses.known('gw.inside.example')).toEqual(['203.0.113.1']);
  setting.proxy = undefined;
  await ways.refresh();
  expect(addresses.remembered('gw.example')).toBe('203.0.113.1');
});

describe('with a script', () => {
  /** A server with the script, which can change or go away, and ways that are chosen by it. */
  async function scripted(script: string, found: Readonly<Record<string, string[]>> = {}) {
    const now = { script, isOpen: true, isThere: true };
    const server = createServer((_request, reply) => {
      if (now.isThere) reply.end(now.script);
      else reply.writeHead(503).end();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/proxy.pac`;
    const { keychain } = emptyKeychain();
    const ways = createWaysOut({
      read: () => Promise.resolve({ kind: 'script', address } as const),
      passwords: createProxyPasswords(keychain, log),
      isOpen: () => now.isOpen,
      find: (name) => Promise.resolve(found[name] ?? []),
      log,
    });
    return { ways, now, [Symbol.dispose]: () => void server.close() };
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

  test('a script that changes is asked again; while traffic is blocked, what it said counts', async () => {
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

  test('of several proxies, the first that answers is taken, with those that can take its place', async () => {
    const own = Object.values(networkInterfaces())
      .flat()
      .find((one) => one?.family === 'IPv4' && !one.internal)?.address;
    if (own === undefined) throw new Error('this machine has no address');
    const open = createTcpServer((socket) => socket.destroy());
    open.listen(0, own);
    await once(open, 'listening');
    await using ends = new AsyncDisposableStack();
    ends.use({ [Symbol.asyncDispose]: async () => void open.close() });
    const { port } = open.address() as AddressInfo;
    using at = await scripted(
      find(
        `return "HTTPS x.example:1; PROXY 127.0.0.2:${port}; PROXY ${own}:1; PROXY gone.example:3128; PROXY ${own}:${port}; PROXY 192.0.2.1:${port}; PROXY 192.0.2.2:1; DIRECT";`,
      ),
    );
    await at.ways.learn(['gw.example']);
    expect(at.ways.to('gw.example')).toMatchObject({ port, addresses: [own, '192.0.2.1'] });
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
});
