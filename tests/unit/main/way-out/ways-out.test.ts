import { once } from 'node:events';
import { createServer } from 'node:http';
import { createServer as createTcpServer, type AddressInfo } from 'node:net';
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import type { ProxyCredentials } from '#shared/helper/gateway-session.ts';
import type { GatewayAddresses } from '../../../../src/main/gateway/gateway-addresses.ts';
import { addressesThroughProxy } from '../../../../src/main/way-out/addresses-through-proxy.ts';
import { createProxyPasswords } from '../../../../src/main/way-out/proxy-passwords.ts';
import { readProxyUrl } from '../../../../src/main/way-out/proxy-setting.ts';
import type { ProxyRule } from '../../../../src/main/way-out/read-proxy-setting.ts';
import { createWaysOut, type WaysOut } from '../../../../src/main/way-out/ways-out.ts';
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

/** As a user does for whom the proxy has asked, for this realm. */
async function enter(ways: WaysOut, { realm, ...login }: ProxyCredentials): Promise<void> {
  const way = ways.to('gw.example');
  if (!way) throw new Error('there is no proxy');
  ways.refused(way, realm);
  await ways.setCredentials(way, login);
}

function waysWith(proxy: string | undefined, found: readonly string[] = ['192.0.2.1']) {
  const keychain = createTestKeychain();
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
  return { ways, setting, secrets: keychain.secrets };
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
    // A connection to these ends up on this computer, too.
    ['0.0.0.0:3128', []],
    ['[::]:3128', []],
    ['[::ffff:127.0.0.1]:3128', []],
    ['proxy.example:3128', ['::ffff:127.0.0.1', '0.0.0.0']],
  ] as const) {
    const { ways } = waysWith(proxy, found);
    await ways.refresh();
    expect(ways.to('gw.example'), proxy).toBeUndefined();
  }
});

test('a proxy whose name cannot be looked up is left out, also if the resolver reports an error', async () => {
  const keychain = createTestKeychain();
  const setting = { proxy: 'gone.example:3128' };
  const ways = createWaysOut({
    read: () => {
      const proxy = readProxyUrl(setting.proxy);
      return Promise.resolve(proxy && { kind: 'proxy', proxy, exceptions: [] });
    },
    isOpen: () => true,
    passwords: createProxyPasswords(keychain, log),
    find: (name) =>
      name === 'there.example'
        ? Promise.resolve(['192.0.2.1'])
        : Promise.reject(new Error(`getaddrinfo ENOTFOUND ${name}`)),
    log,
  });
  setting.proxy = 'there.example:3128';
  await ways.refresh();
  expect(ways.to('gw.example')?.host).toBe('there.example');
  setting.proxy = 'gone.example:3128';
  await ways.refresh();
  expect(ways.to('gw.example')).toBeUndefined();
});

test('the credentials that the user enters for a proxy are used at once, and kept in the keychain', async () => {
  const { ways, secrets } = waysWith('proxy.example:3128');
  await ways.refresh();
  const credentials = { username: 'guest', password: 'secret', realm: 'Office' };
  await enter(ways, credentials);
  expect(ways.to('gw.example')?.credentials).toEqual(credentials);
  expect([...secrets.keys()]).toEqual(['proxy proxy.example 3128']);
  await ways.refresh();
  expect(ways.to('gw.example')?.credentials).toEqual(credentials);
});

test('a password that was kept is for the addresses at which it was entered: a proxy of the same name elsewhere has to be asked for', async () => {
  const { ways, setting, secrets } = waysWith('proxy.example:3128', ['192.0.2.1']);
  const password = async () => {
    await ways.refresh();
    return ways.to('gw.example')?.credentials?.password;
  };
  await ways.refresh();
  await enter(ways, { username: 'guest', password: 'secret', realm: 'Office' });
  expect(await password()).toBe('secret');
  setting.found = ['198.51.100.1'];
  expect(await password()).toBeUndefined();
  // One of the first network's, and one that is not.
  setting.found = ['192.0.2.1', '198.51.100.1'];
  expect(await password()).toBeUndefined();
  expect([...secrets.values()].join()).toContain('secret');

  // The user enters it there, too.
  setting.found = ['198.51.100.2'];
  await ways.refresh();
  await enter(ways, { username: 'guest', password: 'secret', realm: 'Office' });
  for (const address of ['192.0.2.1', '198.51.100.2']) {
    setting.found = [address];
    expect(await password()).toBe('secret');
  }
  // Another one is only known where it was entered.
  await enter(ways, { username: 'guest', password: 'changed', realm: 'Office' });
  expect(await password()).toBe('changed');
  setting.found = ['192.0.2.1'];
  expect(await password()).toBeUndefined();
});

test('a proxy that asks for another realm has not refused what it was not sent: the user is asked as if there were no password', async () => {
  const { ways, secrets } = waysWith('proxy.example:3128');
  await ways.refresh();
  await enter(ways, { username: 'guest', password: 'secret', realm: 'Office' });
  const way = ways.to('gw.example');
  const told: unknown[] = [];
  ways.onRefused(({ credentials }) => told.push(credentials));
  if (way) ways.refused(way, 'Hotel');
  expect(told).toEqual([undefined]);
  const now = ways.to('gw.example');
  expect(now?.credentials).toBeUndefined();
  expect(now && ways.isRefused(now)).toBe(true);
  expect([...secrets.values()].join()).toContain('secret');
});

test('without a realm, a password for HTTP is used, and not kept: anybody could ask for it', async () => {
  const { ways, secrets } = waysWith('proxy.example:3128');
  await ways.refresh();
  await enter(ways, { username: 'guest', password: 'secret' });
  expect(ways.to('gw.example')?.credentials).toEqual({ username: 'guest', password: 'secret' });
  expect(secrets.size).toBe(0);
  const socks = waysWith('socks5://proxy.example:1080');
  await socks.ways.refresh();
  await enter(socks.ways, { username: 'guest', password: 'secret' });
  expect(socks.secrets.size).toBe(1);
});

test('what the keychain has in the place of a password is in no log', async () => {
  const keychain = createTestKeychain();
  const logged = createTestLog();
  const passwords = createProxyPasswords(keychain, logged.log);
  const earlier = '{"username":"guest","password":"hunter2"}';
  for (const kept of ['hunter2', '{"username":"guest","password":"hunter2', '"hunter2"', earlier]) {
    keychain.secrets.set('proxy proxy.example 3128', kept);
    const proxy = { protocol: 'http', host: 'proxy.example', port: 3128 } as const;
    expect(await passwords.of(proxy, ['192.0.2.1'])).toBeUndefined();
  }
  expect(logged.text()).toContain('the keychain');
  expect(logged.text()).not.toContain('hunter2');
});

test('credentials that the user enters count for more than those in the settings, until the proxy refuses them', async () => {
  const { ways } = waysWith('http://guest:set@proxy.example:3128');
  const password = () => ways.to('gw.example')?.credentials?.password;
  const refuse = async () => {
    const way = ways.to('gw.example');
    if (way) ways.refused(way);
    await ways.refresh();
  };
  await ways.refresh();
  expect(password()).toBe('set');
  await refuse();
  const way = ways.to('gw.example');
  expect(way && ways.isRefused(way)).toBe(true);
  if (way) await enter(ways, { username: 'guest', password: 'entered', realm: 'Office' });
  await ways.refresh();
  expect(password()).toBe('entered');
  // The settings have been corrected meanwhile.
  await refuse();
  expect(password()).toBe('set');
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
  async function scripted(
    script: string,
    found: Readonly<Record<string, string[]>> = {},
    host = '127.0.0.1',
  ) {
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
        found[name]
          ? Promise.resolve(found[name])
          : Promise.reject(new Error(`getaddrinfo ENOTFOUND ${name}`)),
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
      read: () =>
        Promise.resolve({ kind: 'discovery', otherwise: { proxy: other, exceptions: [] } } as const),
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
    await enter(ways, { username: 'guest', password: 'of-the-hotel', realm: 'Hotel' });
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
      find(
        'return [1, 2, 3, 4].map(function (n) { return "PROXY p" + n + "." + host + ":3128"; }).join(";");',
      ),
      Object.defineProperties({}, found),
    );
    await at.ways.learn(hosts);
    expect(looked.size).toBeGreaterThan(3);
    expect(looked.size).toBeLessThanOrEqual(32);
    expect(hosts.every((host) => at.ways.knows(host))).toBe(true);
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
});
