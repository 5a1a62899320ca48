import { networkInterfaces } from 'node:os';
import { expect, test } from 'vitest';
import { isForbiddenAddress, isLocalhost, readAuthority } from '../../../../helper/proxy/destination.ts';

const name = (host: string, port: number) => ({ host: { kind: 'name', name: host }, port });
const address = (host: string, port: number) => ({ host: { kind: 'address', address: host }, port });

test.each([
  ['example.com:443', name('example.com', 443)],
  ['EXAMPLE.com.:443', name('example.com', 443)],
  ['192.0.2.1:1', address('192.0.2.1', 1)],
  ['[2001:db8::1]:65535', address('2001:db8::1', 65_535)],
])('the authority %s', (text, destination) => expect(readAuthority(text)).toEqual(destination));

test('a port that is left out is the default one', () => {
  expect(readAuthority('example.com', 80)).toEqual(name('example.com', 80));
  expect(readAuthority('[2001:db8::1]', 80)).toEqual(address('2001:db8::1', 80));
});

test.each([
  '',
  ':80',
  'example.com',
  'example.com:',
  'example.com:0',
  'example.com:65536',
  'example.com:+80',
  'example.com:80:80',
  'user@example.com:80',
  '2001:db8::1:80',
  '[2001:db8::1:80',
  '[192.0.2.1]:80',
  '[example.com]:80',
  '[fe80::1%lo]:80',
  '127.1:80',
  '2130706433:80',
  '0x7f.1:80',
  'a b:80',
  '/:80',
])('%j is no authority', (text) => expect(readAuthority(text)).toBeUndefined());

test.each([
  '127.0.0.1',
  '127.255.255.254',
  '0.0.0.0',
  '0.1.2.3',
  '169.254.169.254',
  '224.0.0.1',
  '239.255.255.255',
  '255.255.255.255',
  '::',
  '::1',
  '0:0:0:0:0:0:0:1',
  '::127.0.0.1',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '0:0:0:0:0:ffff:7f00:1',
  '::ffff:0.0.0.0',
  '::ffff:169.254.1.1',
  '::ffff:224.0.0.1',
  '::ffff:255.255.255.255',
  'fe80::1',
  'febf::1',
  'ff02::1',
])('%s is refused', (text) => expect(isForbiddenAddress(text)).toBe(true));

test.each([
  '192.0.2.1',
  '10.0.0.1',
  '203.0.113.255',
  '2001:db8::1',
  'fd00::1',
  'fec0::1',
  '::ffff:192.0.2.1',
])('%s is not', (text) => expect(isForbiddenAddress(text)).toBe(false));

test('every address of this machine is refused', () => {
  const own = Object.values(networkInterfaces()).flatMap((all) => (all ?? []).map((one) => one.address));
  expect(own).toContain('127.0.0.1');
  expect(own.filter((text) => !isForbiddenAddress(text))).toEqual([]);
});

test('localhost and names below it are this machine’s', () => {
  expect(['localhost', 'x.localhost', 'localhost.test', 'notlocalhost'].map(isLocalhost)).toEqual([
    true,
    true,
    false,
    false,
  ]);
});
