import { expect, test } from 'vitest';
import { nat64Prefixes } from '../../../../src/main/gateway/nat64.ts';

/** RFC 6052 §2.4: 192.0.2.33 within prefixes of every length; and the well-known name in a network with them. */
test.each([
  ['/32', '2001:db8:c000:221::', '2001:db8:c000:aa::'],
  ['/40', '2001:db8:1c0:2:21::', '2001:db8:1c0:0:aa::'],
  ['/48', '2001:db8:122:c000:2:2100::', '2001:db8:122:c000:0:aa00::'],
  ['/56', '2001:db8:122:3c0:0:221::', '2001:db8:122:3c0:0:aa::'],
  ['/64', '2001:db8:122:344:c0:2:2100:0', '2001:db8:122:344:c0:0:aa00:0'],
  ['/96', '2001:db8:122:344::c000:221', '2001:db8:122:344::192.0.0.170'],
  ['the well-known prefix', '64:ff9b::c000:221', '64:ff9b::c000:ab'],
])('an address within a prefix of length %s', (_, translated, answer) => {
  const [prefix] = nat64Prefixes([answer]);
  expect(prefix?.translate('192.0.2.33')).toBe(translated);
  expect(prefix?.original(translated)).toBe('192.0.2.33');
  expect(prefix?.original('2001:db8:ffff::1')).toBeUndefined();
  expect(prefix?.original('192.0.2.33')).toBeUndefined();
});

test('both addresses of the well-known name give one prefix away', () => {
  expect(nat64Prefixes(['192.0.0.170', '192.0.0.171', '64:ff9b::c000:aa', '64:ff9b::c000:ab'])).toHaveLength(
    1,
  );
});

test.each([
  ['of IPv4', '192.0.0.170'],
  ['of something else', '2001:db8::1'],
  ['with the address at two places', '2001:db8:c000:aa::c000:aa'],
  ['of IPv4 written as IPv6', '::ffff:192.0.0.170'],
  ['of one link', 'fe80::c000:aa'],
  ['of a group', 'ff02::c000:aa'],
  ['of nothing', 'none'],
])('an answer %s gives no prefix away', (_, answer) => {
  expect(nat64Prefixes([answer])).toEqual([]);
});
