import { describe, expect, test } from 'vitest';
import { capturedPrefixes, isCaptured } from '../../../../helper/system/captured-prefixes.ts';

const surroundings = {
  attachedNetworks: ['192.168.37.10/24', 'fd57:4159:1::10/64'],
  gateways: ['198.51.100.2'],
};
const captured = (includes: string[], excludes: string[] = [], changes = {}) =>
  capturedPrefixes({ includes, excludes }, { ...surroundings, ...changes });

test('what a gateway asks for, each once and without bits behind the prefix', () => {
  expect(captured(['10.1.2.3/16', '10.1.0.0/16', '10.1.4.0/24', '2001:db8:5::7/48'])).toEqual({
    include: ['10.1.0.0/16', '2001:db8:5::/48'],
    exclude: [],
  });
});

test('what a gateway excludes, as far as it is inside of something', () => {
  expect(captured(['10.0.0.0/8', '172.20.1.0/24'], ['10.9.0.0/16', '10.9.1.0/24', '203.0.113.0/24'])).toEqual(
    {
      include: ['10.0.0.0/8', '172.20.1.0/24'],
      exclude: ['10.9.0.0/16'],
    },
  );
  expect(captured(['10.9.1.0/24', '10.8.0.0/16'], ['10.9.0.0/16', '10.8.0.0/16'])).toEqual({
    include: [],
    exclude: [],
  });
});

test.each([
  { what: 'a network of this machine', prefix: '192.168.37.0/24' },
  { what: 'a part of it', prefix: '192.168.37.64/26' },
  { what: 'its IPv6 network', prefix: 'fd57:4159:1::/64' },
  { what: 'the gateway', prefix: '198.51.100.2/32' },
  { what: 'loopback', prefix: '127.0.0.53/32' },
  { what: 'loopback of IPv6', prefix: '::1/128' },
  { what: 'link-local addresses', prefix: '169.254.169.254/32' },
  { what: 'those of IPv6', prefix: 'fe80::/64' },
  { what: 'multicast', prefix: '239.0.0.0/8' },
  { what: 'that of IPv6', prefix: 'ff02::/16' },
])('$what is not captured', ({ prefix }) => {
  expect(captured([prefix])).toEqual({ include: [], exclude: [] });
});

test('what is not captured is cut out of a wider prefix', () => {
  expect(captured(['192.168.0.0/16', '198.51.100.0/24', 'fc00::/7'])).toEqual({
    include: ['192.168.0.0/16', '198.51.100.0/24', 'fc00::/7'],
    exclude: ['192.168.37.0/24', '198.51.100.2/32', 'fd57:4159:1::/64'],
  });
});

test('a public network that somebody had this machine attached to is captured all the same', () => {
  const attachedNetworks = ['203.0.113.50/24', '10.0.0.1/1'];
  expect(captured(['203.0.113.0/25', '10.3.0.0/16'], [], { attachedNetworks })).toEqual({
    include: ['10.3.0.0/16', '203.0.113.0/25'],
    exclude: [],
  });
});

describe('a default route is no split:', () => {
  test.each([
    { includes: [] },
    { includes: ['0.0.0.0/0'] },
    { includes: ['0.0.0.0/1', '128.0.0.0/1'] },
    { includes: Array.from({ length: 224 }, (_, first) => `${first}.0.0.0/8`) },
    {
      includes: Array.from({ length: 224 }, (_, first) => `${first}.0.0.0/8`).filter(
        (prefix) => prefix !== '10.0.0.0/8' && prefix !== '127.0.0.0/8',
      ),
    },
  ])('$includes.0 …', ({ includes }) => {
    expect(captured(includes, ['203.0.113.0/24'])).toBeUndefined();
  });

  test('nearly one is a split', () => {
    expect(captured(['0.0.0.0/1', '128.0.0.0/2', '192.0.0.0/4'])?.include).toHaveLength(3);
  });

  test('one of IPv6 alone is a split, in two halves', () => {
    expect(captured(['10.0.0.0/8', '::/0'])?.include).toEqual(['10.0.0.0/8', '::/1', '8000::/1']);
  });
});

test('as many as a gateway can push take no time to speak of', () => {
  const all = (kind: number) =>
    Array.from({ length: 2_000 }, (_, index) => [
      `10.${index >> 8}.${index & 255}.${kind}/30`,
      `2001:db8:${index.toString(16)}:${kind}::/64`,
    ]).flat();
  const found = captured(all(0), all(4));
  expect(found?.include).toHaveLength(4_000);
});

test('an address is captured if it is included and not excluded', () => {
  const prefixes = { include: ['10.0.0.0/8', '2001:db8::/32'], exclude: ['10.9.0.0/16'] };
  expect(isCaptured('10.1.1.1', prefixes)).toBe(true);
  expect(isCaptured('10.9.1.1', prefixes)).toBe(false);
  expect(isCaptured('11.0.0.1', prefixes)).toBe(false);
  expect(isCaptured('2001:db8::1', prefixes)).toBe(true);
});
