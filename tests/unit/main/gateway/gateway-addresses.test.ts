import { expect, onTestFinished, test, vi } from 'vitest';
import { maxOtherAddresses } from '#shared/helper/protocol.ts';
import { createGatewayAddresses } from '../../../../src/main/gateway/gateway-addresses.ts';
import { createSettings } from '../../../../src/main/preferences/settings.ts';
import { createTestFile } from '../support/key-value-file.ts';

const host = 'gw.example.net';
const offline = () => Promise.reject(new Error('ENOTFOUND'));

test('an address needs no resolver', async () => {
  const addresses = createGatewayAddresses(createSettings(createTestFile()), offline);
  expect(await addresses.resolve('2001:db8::1')).toEqual(['2001:db8::1']);
});

test('the address that answered last comes first, even after a restart', async () => {
  const file = createTestFile();
  const find = () => Promise.resolve(['192.0.2.1', '192.0.2.2']);
  createGatewayAddresses(createSettings(file), find).remember(host, '192.0.2.2');
  expect(await createGatewayAddresses(createSettings(file), find).resolve(host)).toEqual([
    '192.0.2.2',
    '192.0.2.1',
  ]);
});

test('an address that the name no longer has is not used', async () => {
  const addresses = createGatewayAddresses(createSettings(createTestFile()), () =>
    Promise.resolve(['192.0.2.1']),
  );
  addresses.remember(host, '192.0.2.9');
  expect(await addresses.resolve(host)).toEqual(['192.0.2.1']);
});

test('without a resolver the remembered address serves, and an unknown name has none', async () => {
  const addresses = createGatewayAddresses(createSettings(createTestFile()), offline);
  expect(await addresses.resolve(host)).toEqual([]);
  addresses.remember(host, '192.0.2.1');
  expect(await addresses.resolve(host)).toEqual(['192.0.2.1']);
});

test('whoever answers for a name has the computer connect to a few addresses, of both versions', async () => {
  const many = Array.from({ length: 1_000 }, (_none, index) => `192.0.2.${index % 256}`);
  const found = [...many, ...many.map((_address, index) => `2001:db8::${index.toString(16)}`)];
  const addresses = createGatewayAddresses(createSettings(createTestFile()), () => Promise.resolve(found));
  // One of the last that it has.
  addresses.remember(host, '2001:db8::3e7');
  const known = await addresses.resolve(host);
  expect(known.length).toBeLessThanOrEqual(2 * (1 + maxOtherAddresses));
  expect([known[0], known[1], known.at(-1)]).toEqual(['2001:db8::3e7', '192.0.2.0', '2001:db8::7']);
});

test('as many addresses of one version as the helper takes are all tried', async () => {
  const found = Array.from({ length: 1 + maxOtherAddresses }, (_none, index) => `192.0.2.${index + 1}`);
  const addresses = createGatewayAddresses(createSettings(createTestFile()), () => Promise.resolve(found));
  expect(await addresses.resolve(host)).toEqual(found);
});

test('what was looked up serves after a restart without a resolver, until it is looked up again', async () => {
  const file = createTestFile();
  const find = () => Promise.resolve(['192.0.2.1', '192.0.2.2']);
  await createGatewayAddresses(createSettings(file), find).resolve(host);
  const restarted = createGatewayAddresses(createSettings(file), offline);
  expect(restarted.known(host)).toEqual(['192.0.2.1', '192.0.2.2']);
  expect(restarted.isFresh(host)).toBe(false);
  expect(await restarted.resolve(host)).toEqual(['192.0.2.1', '192.0.2.2']);
  expect(restarted.isFresh(host)).toBe(false);
  const later = createGatewayAddresses(createSettings(file), () => Promise.resolve(['192.0.2.3']));
  expect(await later.resolve(host)).toEqual(['192.0.2.3']);
  expect(later.isFresh(host)).toBe(true);
});

test('what is learnt through a tunnel comes after what is known, and is of no nearer network', async () => {
  let found = ['192.0.2.1', '2001:db8::1'];
  const addresses = createGatewayAddresses(createSettings(createTestFile()), () => Promise.resolve(found));
  await addresses.learnMore(host);
  expect(addresses.known(host), 'nobody has asked for it yet').toEqual([]);
  await addresses.resolve(host);
  addresses.remember(host, '2001:db8::1');
  // As a company's own resolver answers, and as an operator's that has moved.
  found = ['10.0.0.5', 'fd00::5', '192.0.2.7'];
  await addresses.learnMore(host);
  expect(addresses.known(host)).toEqual(['2001:db8::1', '192.0.2.1', '192.0.2.7']);
  found = Array.from({ length: 20 }, (_, index) => `192.0.2.${100 + index}`);
  await addresses.learnMore(host);
  expect(addresses.known(host)).toEqual(['2001:db8::1', ...found.slice(-8)]);
});

test('names are looked up again after some minutes', async () => {
  const addresses = createGatewayAddresses(createSettings(createTestFile()), () =>
    Promise.resolve(['192.0.2.1']),
  );
  await addresses.resolve(host);
  expect(addresses.isFresh(host)).toBe(true);
  vi.useFakeTimers({ now: Date.now() + 11 * 60_000, toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  expect(addresses.isFresh(host)).toBe(false);
});

test.each(['192.168.1.1', '0.0.0.0', '127.0.0.1', '169.254.0.1'])(
  'where a hotel or a block list answers with %s, the address that was reached before is tried after it',
  async (wrong) => {
    let found = ['203.0.113.9'];
    const addresses = createGatewayAddresses(createSettings(createTestFile()), () => Promise.resolve(found));
    await addresses.resolve(host);
    addresses.remember(host, '203.0.113.9');
    found = [wrong];
    expect(await addresses.resolve(host)).toEqual([wrong, '203.0.113.9']);
    expect(addresses.isFresh(host), 'it is asked for again').toBe(false);
    found = ['203.0.113.10'];
    expect(await addresses.resolve(host)).toEqual(['203.0.113.10']);
    expect(addresses.isFresh(host)).toBe(true);
  },
);

test('what was looked up in another network is looked up again', async () => {
  let here = '198.51.100.7';
  const addresses = createGatewayAddresses(
    createSettings(createTestFile()),
    () => Promise.resolve(['192.0.2.1']),
    () => here,
  );
  await addresses.resolve(host);
  expect(addresses.isFresh(host)).toBe(true);
  here = '10.0.0.7';
  expect(addresses.isFresh(host)).toBe(false);
  expect(addresses.known(host)).toEqual(['192.0.2.1']);
});

test('only so many gateways are remembered', () => {
  const file = createTestFile();
  const addresses = createGatewayAddresses(createSettings(file), offline);
  for (let n = 1; n <= 40; n += 1) addresses.remember(`gw${n}.example.net`, `192.0.2.${n}`);
  expect(addresses.remembered('gw1.example.net')).toBeUndefined();
  expect(addresses.remembered('gw40.example.net')).toBe('192.0.2.40');
  expect(addresses.remembered('__proto__')).toBeUndefined();
});

test('loopback is found by the system’s resolver', async () => {
  const addresses = createGatewayAddresses(createSettings(createTestFile()));
  expect(await addresses.resolve('localhost')).toContain('127.0.0.1');
  expect(await addresses.resolve('no-such-host.invalid')).toEqual([]);
});
