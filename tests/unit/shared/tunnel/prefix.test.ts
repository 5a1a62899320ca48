import * as fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { expect, test } from 'vitest';
import { canonicalPrefix, isCanonicalPrefix, isInsidePrefix, isLocalPrefix } from '#shared/tunnel/prefix.ts';

const ipv6 = fc
  .array(fc.oneof(fc.constant(0), fc.nat({ max: 0xffff })), { minLength: 8, maxLength: 8 })
  .map((groups) => groups.map((group) => group.toString(16)).join(':'));

test.each([
  ['203.0.113.7', '203.0.113.7/32'],
  ['203.0.113.7/24', '203.0.113.0/24'],
  [' 198.51.100.0/25 ', '198.51.100.0/25'],
  ['0.0.0.0/0', '0.0.0.0/0'],
  ['2001:DB8:0:0:0:0:0:1', '2001:db8::1/128'],
  ['2001:db8::1/32', '2001:db8::/32'],
  ['::/3', '::/3'],
])('%s is written as %s', (text, written) => {
  expect(canonicalPrefix(text)).toBe(written);
});

test.each([
  '',
  'x',
  '1.2.3',
  '1.2.3.4/33',
  '1.2.3.256',
  '01.2.3.4',
  '1.2.3.4/',
  '1.2.3.4/08',
  '::1::',
  '1:2:3:4:5:6:7',
  '1:2:3:4:5:6:7:8:9',
  '2001:db8::/129',
  '12345::',
  '::ffff:1.2.3.4',
])('%j is no prefix', (text) => {
  expect(canonicalPrefix(text)).toBeUndefined();
  expect(isCanonicalPrefix(text)).toBe(false);
});

test.each(['203.0.113.7/24', '203.0.113.7', '0.0.0.0/0', '::/0', '2001:DB8::/32', '2001:db8:0::/48'])(
  '%s is not taken as it is',
  (text) => {
    expect(isCanonicalPrefix(text)).toBe(false);
  },
);

test.each(['203.0.113.0/24', '11.0.0.0/8', '203.0.113.7/32', '2001:db8::/32', '2001:db8:1::/64'])(
  '%s can be named as a local network',
  (text) => {
    expect(isLocalPrefix(text)).toBe(true);
  },
);

test.each([
  '0.0.0.0/0',
  '0.0.0.0/1',
  '10.0.0.0/7',
  '::/0',
  '2000::/3',
  '2001:d00::/31',
  '203.0.113.7/24',
  'x',
])('%s cannot be named as a local network', (text) => {
  expect(isLocalPrefix(text)).toBe(false);
});

test('a prefix is inside another if all its addresses are', () => {
  const prefix = fc.oneof(
    fc.tuple(fc.ipV4(), fc.integer({ min: 0, max: 32 })),
    fc.tuple(ipv6, fc.integer({ min: 0, max: 128 })),
  );
  fc.assert(
    fc.property(prefix, prefix, fc.boolean(), ([address, length], [elsewhere, width], isNear) => {
      const [inner, outer] = [`${address}/${length}`, `${isNear ? address : elsewhere}/${width}`];
      const [one, two] = [ipaddr.parse(address), ipaddr.parse(isNear ? address : elsewhere)];
      const isInside = one.kind() === two.kind() && length >= width && one.match(two, width);
      expect(isInsidePrefix(inner, outer)).toBe(isInside);
    }),
  );
});

test('any prefix is written as ipaddr.js writes it', () => {
  const any = fc.oneof(
    fc.tuple(fc.ipV4(), fc.integer({ min: 1, max: 32 })),
    fc.tuple(ipv6, fc.integer({ min: 1, max: 128 })),
  );
  fc.assert(
    fc.property(any, ([address, length]) => {
      const family = address.includes(':') ? ipaddr.IPv6 : ipaddr.IPv4;
      const network = family.networkAddressFromCIDR(`${address}/${length}`);
      const text = 'toRFC5952String' in network ? network.toRFC5952String() : network.toString();
      const written = canonicalPrefix(`${address}/${length}`) ?? '';
      expect(written).toBe(`${text}/${length}`);
      expect(isCanonicalPrefix(written)).toBe(true);
    }),
  );
});
