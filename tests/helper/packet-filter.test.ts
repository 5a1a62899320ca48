import * as fc from 'fast-check';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import {
  packetFilterScript,
  removePacketFilterScript,
  type GlobalFilter,
  type PacketFilter,
  type ProxyFilter,
} from '../../helper/linux/nftables.ts';
import { createHelperLab, type HelperLab } from './support/helper-lab.ts';

let net: HelperLab;

beforeAll(async () => {
  net = await createHelperLab({ gateway: false });
});

afterAll(async () => {
  await net[Symbol.asyncDispose]();
});

afterEach(async () => {
  await net.lab.user.run(['nft', 'flush', 'ruleset']);
});

const filter: GlobalFilter = {
  mode: 'global',
  device: 'wm0',
  engineUid: 990,
  clientUids: [1000],
  gateway: { address: '198.51.100.2', port: 443 },
  localPrefixes: [],
  tunnelAddresses: {},
  forwarding: false,
};

const load = (script: string) => net.lab.user.exec(['nft', '-f', '-'], { input: script });
const loaded = () => net.lab.user.run(['nft', '--stateless', 'list', 'ruleset']);

test('before the tunnel is configured nothing but the gateway can be reached', async () => {
  expect(await load(packetFilterScript(filter))).toMatchObject({ code: 0 });
  const output = (await loaded()).split('chain forward')[0];
  expect(output?.match(/\S.*accept$/gm)).toEqual([
    'ip daddr 198.51.100.2 udp dport 443 meta skuid 990 accept',
    'oifname "lo" accept',
    'ip daddr 198.51.100.2 tcp dport 443 meta skuid 990 accept',
    'ip daddr 198.51.100.2 tcp dport 443 meta skuid 1000 accept',
    'meta nfproto ipv4 udp sport 68 udp dport 67 accept',
    'ip6 saddr fe80::/10 udp sport 546 udp dport 547 accept',
    expect.stringContaining('nd-neighbor-solicit'),
  ]);
  expect(output).toContain('policy drop');
});

test('one replaces another whole, and removing works whether or not one is there', async () => {
  await load('table inet somebody {\n  chain theirs {\n    accept\n  }\n}\n');
  const before = await loaded();
  expect(before).toContain('theirs');
  await load(packetFilterScript({ ...filter, tunnelAddresses: { ipv4: '198.51.100.130' } }));
  await load(packetFilterScript({ ...filter, tunnelAddresses: { ipv4: '198.51.100.131' } }));
  expect(await loaded()).toContain('198.51.100.131');
  expect(await loaded()).not.toContain('198.51.100.130');
  const remove = async () => {
    expect(await load(removePacketFilterScript)).toMatchObject({ code: 0 });
    expect(await loaded()).toBe(before);
  };
  await remove();
  await remove();
});

test('nft takes what any machine and gateway can lead to', async () => {
  const address = fc.oneof(fc.ipV4(), fc.constantFrom('2001:db8::1', '2001:db8:ffff::1:2'));
  const prefix = fc.oneof(
    fc.tuple(fc.ipV4(), fc.integer({ min: 1, max: 32 })).map(([ip, length]) => `${ip}/${length}`),
    fc
      .tuple(fc.constantFrom('2001:db8::', 'fe80::', 'fd00:1:2::'), fc.integer({ min: 10, max: 128 }))
      .map(([ip, length]) => `${ip}/${length}`),
  );
  const uid = fc.nat({ max: 65_533 });
  const port = fc.integer({ min: 1, max: 65_535 });
  const common = {
    device: fc.constant('wm0'),
    clientUids: fc.uniqueArray(uid, { maxLength: 3 }),
    tunnelAddresses: fc.record(
      { ipv4: fc.ipV4(), ipv6: fc.constantFrom('2001:db8:9::9') },
      { requiredKeys: [] },
    ),
  };
  const globalFilters = fc.record<GlobalFilter>({
    ...common,
    mode: fc.constant('global'),
    engineUid: uid,
    gateway: fc.record({ address, port }),
    localPrefixes: fc.array(prefix, { maxLength: 6 }),
    forwarding: fc.boolean(),
  });
  const proxyFilters = fc.record<ProxyFilter>({
    ...common,
    mode: fc.constant('pac'),
    proxyUid: fc.option(uid, { nil: undefined }),
    proxyPort: fc.option(port, { nil: undefined }),
  });
  const filters: fc.Arbitrary<PacketFilter> = fc.oneof(globalFilters, proxyFilters);
  await fc.assert(
    fc.asyncProperty(filters, async (any) => {
      const { code, stderr } = await load(packetFilterScript(any));
      expect(code, stderr).toBe(0);
    }),
    { numRuns: 300 },
  );
});
