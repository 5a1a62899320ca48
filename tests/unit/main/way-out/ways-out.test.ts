import { pino } from 'pino';
import { expect, test } from 'vitest';
import type { GatewayAddresses } from '../../../../src/main/gateway/gateway-addresses.ts';
import { addressesThroughProxy } from '../../../../src/main/way-out/addresses-through-proxy.ts';
import { createProxyPasswords } from '../../../../src/main/way-out/proxy-passwords.ts';
import { readProxyUrl, type ProxySetting } from '../../../../src/main/way-out/proxy-setting.ts';
import { createWaysOut } from '../../../../src/main/way-out/ways-out.ts';

const log = pino({ enabled: false });

function waysWith(proxy: string | undefined, found: readonly string[] = ['192.0.2.1']) {
  const secrets = new Map<string, string>();
  const keychain = {
    read: (account: string) => Promise.resolve(secrets.get(account) ?? null),
    write: async (account: string, secret: string) => void secrets.set(account, secret),
    remove: async (account: string) => void secrets.delete(account),
  };
  const setting = { proxy, found };
  const ways = createWaysOut({
    read(): Promise<ProxySetting | undefined> {
      const place = setting.proxy === undefined ? undefined : readProxyUrl(setting.proxy);
      return Promise.resolve(place && { proxy: place, exceptions: ['inside.example'] });
    },
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
  const proxy = ways.any();
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
