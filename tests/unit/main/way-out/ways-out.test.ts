import { pino } from 'pino';
import { expect, test } from 'vitest';
import type { GatewayAddresses } from '../../../../src/main/gateway/gateway-addresses.ts';
import { addressesThroughProxy } from '../../../../src/main/way-out/addresses-through-proxy.ts';
import { createProxyPasswords } from '../../../../src/main/way-out/proxy-passwords.ts';
import { readProxyUrl } from '../../../../src/main/way-out/proxy-setting.ts';
import type { ProxyRule } from '../../../../src/main/way-out/read-proxy-setting.ts';
import { createWaysOut } from '../../../../src/main/way-out/ways-out.ts';
import { enterCredentials } from '../support/enter-credentials.ts';
import { createTestKeychain } from '../support/keychain.ts';
import { createTestLog } from '../support/log.ts';

const log = pino({ enabled: false });

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
  await enterCredentials(ways, credentials);
  expect(ways.to('gw.example')?.credentials).toEqual(credentials);
  expect([...secrets.keys()]).toEqual(['proxy proxy.example 3128']);
  await ways.refresh();
  expect(ways.to('gw.example')?.credentials).toEqual(credentials);
});

test('a password is kept for the addresses at which it was entered, and not for the same name elsewhere', async () => {
  const { ways, setting, secrets } = waysWith('proxy.example:3128', ['192.0.2.1']);
  const password = async () => {
    await ways.refresh();
    return ways.to('gw.example')?.credentials?.password;
  };
  await ways.refresh();
  await enterCredentials(ways, { username: 'guest', password: 'secret', realm: 'Office' });
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
  await enterCredentials(ways, { username: 'guest', password: 'secret', realm: 'Office' });
  for (const address of ['192.0.2.1', '198.51.100.2']) {
    setting.found = [address];
    expect(await password()).toBe('secret');
  }
  // Another one is only known where it was entered.
  await enterCredentials(ways, { username: 'guest', password: 'changed', realm: 'Office' });
  expect(await password()).toBe('changed');
  setting.found = ['192.0.2.1'];
  expect(await password()).toBeUndefined();
});

test('a proxy that asks for another realm has not refused what it was not sent: the user is asked as if there were no password', async () => {
  const { ways, secrets } = waysWith('proxy.example:3128');
  await ways.refresh();
  await enterCredentials(ways, { username: 'guest', password: 'secret', realm: 'Office' });
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
  await enterCredentials(ways, { username: 'guest', password: 'secret' });
  expect(ways.to('gw.example')?.credentials).toEqual({ username: 'guest', password: 'secret' });
  expect(secrets.size).toBe(0);
  const socks = waysWith('socks5://proxy.example:1080');
  await socks.ways.refresh();
  await enterCredentials(socks.ways, { username: 'guest', password: 'secret' });
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
  if (way) await enterCredentials(ways, { username: 'guest', password: 'entered', realm: 'Office' });
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
