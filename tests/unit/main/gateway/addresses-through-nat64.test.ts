import { isIPv6 } from 'node:net';
import { expect, test } from 'vitest';
import { addressesThroughNat64 } from '../../../../src/main/gateway/addresses-through-nat64.ts';
import { createGatewayAddresses } from '../../../../src/main/gateway/gateway-addresses.ts';
import { createSettings } from '../../../../src/main/preferences/settings.ts';
import { createTestFile } from '../support/key-value-file.ts';

const ipv4 = '192.0.2.33';
const translated = '64:ff9b::c000:221';
const fails = (code: string) => () => Promise.reject(Object.assign(new Error(code), { code }));

function createNetwork() {
  const names = new Map<string, () => Promise<string[]>>([
    ['ipv4only.arpa.', () => Promise.resolve(['192.0.0.170', '64:ff9b::c000:aa'])],
    ['gw.example.net', () => Promise.resolve([ipv4])],
    ['both.example.net', () => Promise.resolve([ipv4, '2001:db8::1'])],
  ]);
  const world = { isOpen: true, hasRoute: false, hasIpv6: true, here: 'train', asked: 0 };
  const find = (name: string) => (names.get(name) ?? fails('ENOTFOUND'))();
  const own = createGatewayAddresses(createSettings(createTestFile()), find, () => world.here);
  const addresses = addressesThroughNat64(own, {
    isOpen: () => world.isOpen,
    find(name) {
      world.asked += 1;
      return find(name);
    },
    hasRouteTo: (address) => Promise.resolve(isIPv6(address) ? world.hasIpv6 : world.hasRoute),
    here: () => world.here,
  });
  return { names, world, own, addresses };
}

test('in a network without IPv4, a gateway is reached by the translator', async () => {
  const { addresses } = createNetwork();
  expect(addresses.isFresh(ipv4)).toBe(false);
  expect(await addresses.resolve(ipv4)).toEqual([translated, ipv4]);
  expect(addresses.isFresh(ipv4)).toBe(true);
  expect(addresses.known(ipv4)).toEqual([translated, ipv4]);
  expect(await addresses.resolve('gw.example.net')).toEqual([translated, ipv4]);
});

test('a gateway that has IPv6 is reached by that', async () => {
  const { addresses, world } = createNetwork();
  expect(await addresses.resolve('both.example.net')).toEqual([ipv4, '2001:db8::1']);
  expect(await addresses.resolve('2001:db8::5')).toEqual(['2001:db8::5']);
  expect(world.asked).toBe(0);
});

test('where IPv4 is routed, no translator is asked for', async () => {
  const { addresses, world } = createNetwork();
  world.hasRoute = true;
  expect(await addresses.resolve(ipv4)).toEqual([ipv4]);
  expect(world.asked).toBe(0);
  expect(addresses.isFresh(ipv4)).toBe(true);
});

test('without any network, nobody is asked, and what was known stays', async () => {
  const { addresses, world } = createNetwork();
  await addresses.resolve(ipv4);
  world.here = '';
  world.hasIpv6 = false;
  expect(await addresses.resolve(ipv4)).toEqual([translated, ipv4]);
  expect(world.asked).toBe(1);
});

test('while traffic is blocked, the translator of the network serves, until it is another network', async () => {
  const { addresses, world } = createNetwork();
  await addresses.resolve(ipv4);
  world.isOpen = false;
  world.here = 'train, with a tunnel';
  world.hasRoute = true;
  expect(await addresses.resolve(ipv4)).toEqual([translated, ipv4]);
  world.isOpen = true;
  world.here = 'home';
  expect(addresses.isFresh(ipv4)).toBe(false);
  expect(await addresses.resolve(ipv4)).toEqual([ipv4]);
});

test('a resolver that does not answer is asked again, one that knows of no translator is not', async () => {
  const { addresses, names, world } = createNetwork();
  names.set('ipv4only.arpa.', fails('EAI_AGAIN'));
  expect(await addresses.resolve(ipv4)).toEqual([ipv4]);
  expect(addresses.isFresh(ipv4)).toBe(false);
  names.set('ipv4only.arpa.', fails('ENOTFOUND'));
  expect(await addresses.resolve(ipv4)).toEqual([ipv4]);
  expect(addresses.isFresh(ipv4)).toBe(true);
  await addresses.resolve(ipv4);
  expect(world.asked).toBe(2);
});

test("a gateway is remembered by its own address, not by the translator's", async () => {
  const { addresses, own } = createNetwork();
  await addresses.resolve('gw.example.net');
  addresses.remember('gw.example.net', translated);
  expect(own.remembered('gw.example.net')).toBe(ipv4);
  expect(addresses.remembered('gw.example.net')).toBe(translated);
  addresses.remember('gw.example.net', '2001:db8::7');
  expect(own.remembered('gw.example.net')).toBe('2001:db8::7');
});

test('a gateway that was reached by a translator is not remembered by that in the next network either', async () => {
  const { addresses, own, world } = createNetwork();
  await addresses.resolve('gw.example.net');
  world.here = 'home';
  world.hasRoute = true;
  await addresses.resolve('gw.example.net');
  // A sign-in that began in the train ends at home.
  addresses.remember('gw.example.net', translated);
  expect(own.remembered('gw.example.net')).toBe(ipv4);
  expect(addresses.remembered('gw.example.net')).toBe(ipv4);
});
