import * as fc from 'fast-check';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { packetFilterScript, type FilterSurroundings } from '../../../helper/linux/nftables/filter-script.ts';
import { noNetworks, type NearbyNetworks } from '../../../helper/network/nearby-networks.ts';
import type { FilterRules } from '../../../helper/system/ports/packet-filter-port.ts';
import { readPrefixList } from '../../../helper/network/prefix-list.ts';
import type { Capture } from '../../../helper/modes/routing-plan.ts';
import { createHelperLab, type HelperLab } from '../support/helper-lab.ts';
import { isExhaustive } from '../../lab/runs/thoroughness.ts';

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

const rules: FilterRules = {
  captures: [{ kind: 'everything', exceptLocalNetworks: false }],
  owner: '1000',
  gateway: { address: '198.51.100.2', port: 443 },
  networks: noNetworks,
  tunnelAddresses: [],
  awaitedAddresses: [],
  allowIncoming: false,
  maxSegment: undefined,
  resolvers: [],
  proxyPort: undefined,
  groupResolvers: undefined,
  fromStartOn: false,
};
const surroundings: FilterSurroundings = {
  accounts: { engine: { uid: 990, gid: 990 }, proxy: { uid: 991, gid: 991 } },
  forwarding: false,
};
const scriptFor = (changes: Partial<FilterRules> = {}) =>
  packetFilterScript({ ...rules, ...changes }, surroundings);

const load = (script: string) => net.lab.user.exec(['nft', '-f', '-'], { input: script });
const loaded = () => net.lab.user.run(['nft', '--stateless', 'list', 'ruleset']);

test('before the tunnel is configured nothing but the gateway can be reached', async () => {
  expect(await load(scriptFor())).toMatchObject({ code: 0 });
  const output = (await loaded()).split('chain forward')[0];
  expect(output?.match(/\S.*accept$/gm)).toEqual([
    'ip daddr 198.51.100.2 meta l4proto udp meta skuid 990 accept',
    'oifname "lo" accept',
    'ip daddr 198.51.100.2 tcp dport 443 meta skuid 990 accept',
    'udp sport 68 udp dport 67 ip daddr 255.255.255.255 accept',
    'ip6 saddr fe80::/10 udp sport 546 udp dport 547 ip6 daddr ff02::1:2 accept',
    expect.stringMatching(/nd-neighbor-solicit.* ip6 daddr \{ fe80::\/10, ff02::\/16 \} accept/),
    expect.stringMatching(/mld2?-listener-report.* ip6 hoplimit 1 ip6 daddr ff02::\/16 accept/),
  ]);
  expect(output).toContain('policy drop');
});

test('by destination, a forwarder on this machine is asked for no name: it would ask others outside the tunnel', async () => {
  const { user } = net.lab;
  const listen =
    "socket.on('message', (name) => console.log('asked for', String(name))).bind(53, '127.0.0.1', ready)";
  const forwarder = await user.spawnUntil(
    nodeWithSocket(`${listen}; function ready() { console.log('ready') }`),
    /ready/,
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  let asked = '';
  forwarder.stdout?.on('data', (chunk: Buffer) => (asked += chunk.toString()));
  const ask = (name: string) =>
    user.exec(nodeWithSocket(`socket.send('${name}', 53, '127.0.0.1', () => socket.close())`));
  await ask('before');
  await expect.poll(() => asked).toContain('before');
  const captures: Capture[] = [
    {
      kind: 'prefixes',
      include: readPrefixList(['203.0.113.0/24']),
      exclude: readPrefixList([]),
      exceptLocalNetworks: false,
    },
  ];
  expect(await load(scriptFor({ captures, resolvers: ['127.0.0.1'] }))).toMatchObject({ code: 0 });
  await ask('during');
  await user.run(['nft', 'flush', 'ruleset']);
  await ask('after');
  await expect.poll(() => asked).toContain('after');
  expect(asked).not.toContain('during');
  forwarder.kill();
});

const nodeWithSocket = (script: string) => [
  process.execPath,
  '-e',
  `const socket = require('node:dgram').createSocket('udp4'); ${script}`,
];

test('a rule set replaces another one whole', async () => {
  await load('table inet somebody {\n  chain theirs {\n    accept\n  }\n}\n');
  expect(await loaded()).toContain('theirs');
  await load(scriptFor({ tunnelAddresses: ['198.51.100.130'] }));
  await load(scriptFor({ tunnelAddresses: ['198.51.100.131'] }));
  expect(await loaded()).toContain('198.51.100.131');
  expect(await loaded()).not.toContain('198.51.100.130');
  expect(await loaded()).toContain('theirs');
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
  const localExceptions = {
    exceptLocalNetworks: fc.boolean(),
    localPrefixes: fc.subarray(['128.0.0.0/8', '2001:db8::/32']),
  };
  const capture: fc.Arbitrary<Capture> = fc.oneof(
    fc.record(
      {
        kind: fc.constant('everything' as const),
        ...localExceptions,
        exceptGroup: fc.constant(true as const),
      },
      { requiredKeys: ['kind', 'exceptLocalNetworks'] },
    ),
    fc.record({ kind: fc.constant('group' as const), ...localExceptions }),
    fc.record({ kind: fc.constant('proxy' as const) }),
    fc.record({
      kind: fc.constant('prefixes' as const),
      include: fc.subarray(['0.0.0.0/0', '::/0', '203.0.113.0/24', '2001:db8:3::/48']).map(readPrefixList),
      exclude: fc.subarray(['203.0.113.80/32', '2001:db8:3::80/128']).map(readPrefixList),
      ...localExceptions,
    }),
  );
  const filters = fc.record<FilterRules>({
    captures: fc.array(capture, { minLength: 1, maxLength: 3 }),
    owner: fc.option(uid.map(String), { nil: undefined }),
    gateway: fc.option(fc.record({ address, port }), { nil: undefined }),
    networks: fc.record<NearbyNetworks>({
      local: fc.array(prefix, { maxLength: 6 }),
      attachedPublic: fc.array(prefix, { maxLength: 6 }),
      onLink: fc.array(prefix, { maxLength: 6 }),
      internal: fc.record({
        devices: fc.subarray(['docker0', 'br-0a1b2c', 'tap.1@x']),
        prefixes: fc.array(prefix, { maxLength: 6 }),
        unused: fc.constant([]),
      }),
      bridges: fc.subarray(['br0', 'docker0', 'br-0a1b2c', 'a.1@x']),
    }),
    allowIncoming: fc.boolean(),
    maxSegment: fc.constantFrom(undefined, 1_180),
    tunnelAddresses: fc.subarray(['198.51.100.130', '2001:db8:9::9']),
    awaitedAddresses: fc.subarray(['198.51.100.130', '2001:db8:9::9']),
    resolvers: fc.subarray(['198.51.100.66', '2001:db8:9::53']),
    proxyPort: fc.option(port, { nil: undefined }),
    groupResolvers: fc.constant(undefined),
    fromStartOn: fc.boolean(),
  });
  const account = fc.option(fc.record({ uid, gid: uid }), { nil: undefined });
  const machines = fc.record<FilterSurroundings>({
    accounts: fc.record({ engine: account, proxy: account }),
    forwarding: fc.boolean(),
  });
  await fc.assert(
    // Ten in one, each of which replaces the one before: to start nft takes longer than to load a filter.
    fc.asyncProperty(
      fc.array(fc.tuple(filters, machines), { minLength: 10, maxLength: 10 }),
      async (several) => {
        const scripts = several.map(([any, machine]) => packetFilterScript(any, machine));
        const { code, stderr } = await load(scripts.join('\n'));
        expect(code, stderr).toBe(0);
      },
    ),
    { numRuns: isExhaustive ? 30 : 5 },
  );
});
