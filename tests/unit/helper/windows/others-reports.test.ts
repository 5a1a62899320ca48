import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Routing } from '#shared/tunnel/state.ts';
import { createLog } from '../../../../helper/log.ts';
import { createPacketFilter } from '../../../../helper/windows/filter/packet-filter.ts';
import { createNetworkMonitor } from '../../../../helper/windows/routing/network-monitor.ts';
import { createUplink } from '../../../../helper/windows/routing/uplink.ts';
import { createTunnelInterface } from '../../../../helper/windows/routing/tunnel-interface.ts';
import { readRouting } from '../../../../helper/modes/read-routing.ts';
import { planOf } from '../../../../helper/modes/plan-of.ts';
import { noNetworks } from '../../../../helper/network/nearby-networks.ts';
import type { FilterRules } from '../../../../helper/system/ports/packet-filter-port.ts';
import {
  configurationWith,
  connectionOf,
  gateway,
  owner,
  identities,
  programs,
  startHelper,
  type Disk,
} from './model/helper-on-machine.ts';
import { ethernet, localRules, Machine, wifi } from './model/machine.ts';
import { failuresOf, leaksOf, listed, unlisted } from './model/promises.ts';
import type { Packet } from './model/packets.ts';

/** What users of others' programs for Windows have reported, tried on the model. */

const log = createLog(() => undefined);
const everything: Routing = { mode: 'global', localNetwork: false };
let machine: Machine;
let disk: Disk;
beforeEach(() => {
  machine = new Machine(true);
  disk = {};
});
afterEach(() => machine.helperEnds());

async function connect(routing = everything, killSwitch = false) {
  const helper = startHelper(machine, disk, { log });
  await helper.apply(connectionOf(routing, killSwitch));
  await helper.configure(configurationWith());
  return helper;
}

const browser = { file: 'C:\\browser.exe', sid: owner };
const https = (remote: string, more: Partial<Packet> = {}): Packet => ({
  way: 'connect',
  remote,
  protocol: 6,
  localPort: 50_000,
  remotePort: 443,
  program: browser,
  ...more,
});

test('another interface with a cheaper default route takes nothing away (SoftEtherVPN 1219, eduVPN 136)', async () => {
  await connect();
  machine.addInterface(wifi, '00000000-0000-4000-8000-000000000003', 0);
  machine.joinNetwork(wifi, '44');
  expect(machine.outcome(https(unlisted))).toBe('tunnel');
  expect(leaksOf(machine, [everything])).toEqual([]);
});

test.each<[string, Routing, number | undefined]>([
  ['everything', everything, 0],
  [
    'everything but a list',
    {
      mode: 'ip',
      policy: 'exclude',
      routeIps: ['203.0.113.0/24', '2001:db8:aaaa::/48'],
      localNetwork: false,
    },
    9_999,
  ],
  ['a list', { mode: 'ip', policy: 'include', routeIps: ['203.0.113.0/24'], localNetwork: false }, undefined],
])(
  'with %s in the tunnel, Windows finds the internet there only if it has a default route (eduVPN 136, mullvadvpn-app 589)',
  async (_, routing, metric) => {
    await connect(routing);
    const defaults = machine.ip.routes.filter(
      ({ luid, prefix }) => luid === machine.tunnel && prefix.endsWith('/0'),
    );
    const prefixes = metric === undefined ? [] : ['0.0.0.0/0', '::/0'];
    expect(new Map(defaults.map((one) => [one.prefix, one.metric]))).toEqual(
      new Map(prefixes.map((prefix) => [prefix, metric])),
    );
    expect(failuresOf(machine, routing, true)).toEqual([]);
  },
);

test('a route that DHCP names, longer than ours, leads to nowhere instead of past the tunnel (CVE-2024-3661)', async () => {
  const way = { luid: ethernet, prefix: '203.0.113.0/24', nextHop: '192.168.7.66', metric: 0 };
  machine.ip.routes.push(way);
  expect(machine.outcome(https(listed))).toBe('outside');
  await connect();
  expect(machine.outcome(https(listed))).toBe('refused');
});

test('a machine without IPv6 gets a tunnel of IPv4 (rust-tun 163, tailscale 754, yggdrasil 836)', async () => {
  machine = new Machine(false);
  const helper = await connect();
  expect(await helper.verify()).toBe(true);
  expect(failuresOf(machine, everything, false)).toEqual([]);
});

test.each([1_279, 600, 68])(
  'a tunnel of %i bytes is made, though Windows takes none of less than 1,280 for IPv6 (amneziawg-windows-client 123)',
  async (mtu) => {
    machine.createTunnel();
    const luid = machine.tunnel ?? 0n;
    const configuration = { mtu, addresses: ['10.9.0.2'] };
    const found = createTunnelInterface({ ipHelper: machine.calls.ipHelper, luid, log });
    await found.configure(configuration);
    expect(found.verify(configuration)).toBe('in-force');
    const mtuOf = (family: 4 | 6) =>
      machine.ip.ipInterfaces.find((one) => one.luid === luid && one.family === family)?.mtu;
    expect([mtuOf(4), mtuOf(6)]).toEqual([Math.max(mtu, 576), 1_280]);
  },
);

test('an interface that appears after its adapter is waited for (rust-tun 161)', async () => {
  machine.createTunnel();
  const luid = machine.tunnel ?? 0n;
  const late = machine.ip.ipInterfaces.filter((one) => one.luid === luid);
  machine.ip.ipInterfaces = machine.ip.ipInterfaces.filter((one) => one.luid !== luid);
  const { ipHelper } = machine.calls;
  let looks = 0;
  const appearing = {
    ...ipHelper,
    ipInterfaces() {
      looks += 1;
      if (looks === 3) machine.ip.ipInterfaces.push(...late);
      return ipHelper.ipInterfaces();
    },
  };
  const configuration = { mtu: 1_400, addresses: ['10.9.0.2'] };
  const found = createTunnelInterface({ ipHelper: appearing, luid, log });
  await found.configure(configuration);
  expect(found.verify(configuration)).toBe('in-force');
});

test('an address that a dead interface has left is free again, and a living one keeps its own', async () => {
  machine.createTunnel();
  const luid = machine.tunnel ?? 0n;
  const configuration = { mtu: 1_400, addresses: ['10.9.0.2'] };
  const dead = { luid: 77n, address: '10.9.0.2', prefixLength: 32 };
  machine.ip.addresses.push(dead);
  const found = createTunnelInterface({ ipHelper: machine.calls.ipHelper, luid, log });
  await found.configure(configuration);
  expect(found.verify(configuration)).toBe('in-force');
  const others = { mtu: 1_400, addresses: ['192.168.7.20'] };
  await expect(found.configure(others)).rejects.toThrow('another interface has the address 192.168.7.20');
  expect(machine.ip.addresses).toContainEqual({ luid: ethernet, address: '192.168.7.20', prefixLength: 24 });
});

test('rules and filters whose journal is lost end with the next start (OpenVPN 1047, firezone 4899, tailscale 19049)', async () => {
  const before = machine.snapshot();
  await connect(everything, true);
  machine.reboot();
  machine.filteringEngineStarts();
  delete disk.entry;
  expect(machine.outcome(https(unlisted))).toBe('refused');
  expect(machine.resolvers()).not.toContain('192.168.7.1');
  const helper = startHelper(machine, disk, { log });
  expect(await helper.recover()).toEqual({ kind: 'nothing' });
  expect(machine.outcome(https(unlisted))).toBe('outside');
  expect(machine.snapshot()).toEqual(before);
});

test('ten thousand routes of a list are reported as one change', async () => {
  const monitor = createNetworkMonitor(machine.calls.ipHelper);
  const { promise: told, resolve } = Promise.withResolvers<void>();
  let times = 0;
  const stop = monitor.subscribe(() => {
    times += 1;
    resolve();
  });
  for (let number = 0; number < 10_000; number += 1) {
    const prefix = `11.${number >> 8}.${number & 255}.0/24`;
    machine.calls.ipHelper.createRoute({ luid: ethernet, prefix, nextHop: '192.168.7.1', metric: 1 });
  }
  await told;
  expect(times).toBe(1);
  stop();
});

test('the rule for names asks for no DNSSEC (OpenVPN 1024)', async () => {
  await connect();
  const [rule] = machine.calls.registry.keys(localRules) ?? [];
  expect(Object.fromEntries(machine.tree.get(`${localRules}\\${rule}`) ?? [])).toEqual({
    Version: { kind: 'number', number: 2 },
    ConfigOptions: { kind: 'number', number: 8 },
    GenericDNSServers: { kind: 'text', text: '10.9.0.53' },
    Name: { kind: 'texts', texts: ['.'] },
  });
});

test('without the kill switch, a killed helper blocks until the next one, and no longer than until a reboot', async () => {
  await connect(everything, false);
  machine.helperEnds();
  expect(machine.outcome(https(unlisted))).toBe('refused');
  machine.reboot();
  expect(machine.outcome(https(unlisted))).toBe('outside');
  machine.filteringEngineStarts();
  expect(machine.outcome(https(unlisted))).toBe('outside');
});

test('a restart of the filtering engine is noticed, and what it has lost is put back', async () => {
  const helper = await connect();
  machine.engine.restart();
  expect(machine.outcome(https(unlisted, { boundTo: { luid: ethernet } }))).toBe('outside');
  expect(await helper.verify()).toBe(true);
  expect(machine.outcome(https(unlisted, { boundTo: { luid: ethernet } }))).toBe('refused');
});

const rulesFor = (routing: Routing): FilterRules => ({
  captures: [planOf(readRouting(routing)).capture],
  gateway,
  maxSegment: undefined,
  tunnelAddresses: [],
  awaitedAddresses: [],
  allowIncoming: false,
  networks: noNetworks,
  resolvers: [],
  proxyPort: undefined,
  owner,
  groupResolvers: undefined,
  fromStartOn: true,
});

test('a portal’s pages are open to our program alone, and no longer than the helper lives', async () => {
  const filter = createPacketFilter({
    filtering: machine.calls.filtering,
    surroundings: () => ({ ...identities, tunnel: undefined }),
    log,
  });
  const rules = rulesFor(everything);
  const portal = { proxyPort: 1_081, client: owner, resolvers: ['192.168.7.1'], until: Infinity };
  await expect(filter.setPortal(portal)).rejects.toThrow('no packet filter');
  await filter.set(rules);
  const page = https('192.168.7.1', { remotePort: 80, program: programs.engine });
  const lookUp = https('192.168.7.1', { protocol: 17, remotePort: 53, program: programs.engine });
  const outcomes = () =>
    [page, lookUp, { ...page, program: browser }, { ...page, remotePort: 25 }].map((packet) =>
      machine.outcome(packet),
    );
  const closed = ['refused', 'refused', 'refused', 'refused'];
  expect(outcomes()).toEqual(closed);
  await filter.setPortal(portal);
  expect(outcomes()).toEqual(['outside', 'outside', 'refused', 'refused']);
  await filter.set({ ...rules, allowIncoming: true });
  expect(outcomes()).toEqual(['outside', 'outside', 'refused', 'refused']);
  expect(await filter.verify()).toBe('in-force');
  await filter.setPortal(undefined);
  expect(outcomes()).toEqual(closed);
  await filter.setPortal(portal);
  machine.helperEnds();
  expect(outcomes()).toEqual(closed);
});

test('what nobody here has asked for comes in through the tunnel only if that is wanted', async () => {
  const stranger = https(unlisted, { way: 'accept', localPort: 8_080, boundTo: { address: '10.9.0.2' } });
  const helper = await connect();
  expect(machine.outcome(stranger)).toBe('refused');
  await helper.route({ routing: readRouting(everything), allowIncoming: true });
  expect(machine.outcome(stranger)).toBe('tunnel');
  expect(machine.outcome({ ...stranger, boundTo: { luid: ethernet } })).toBe('refused');
});

test('only the owner’s programs reach the proxy, and nobody else answers at its port', async () => {
  await connect({ mode: 'pac', routeDomains: ['example.org'], blockedDomains: [] });
  machine.ip.addresses.push({ luid: 1n, address: '127.0.0.1', prefixLength: 8 });
  const another = { file: 'C:\\other.exe', sid: 'S-1-5-21-1-2-3-1002' };
  const toProxy = https('127.0.0.1', { remotePort: 1_080 });
  const atProxy = https('127.0.0.1', { way: 'accept', localPort: 1_080, remotePort: 50_000 });
  expect(machine.outcome(toProxy)).toBe('within');
  expect(machine.outcome({ ...toProxy, program: another })).toBe('refused');
  expect(machine.outcome({ ...atProxy, program: programs.proxy })).toBe('within');
  expect(machine.outcome({ ...atProxy, program: another })).toBe('refused');
  expect(machine.outcome({ ...toProxy, remotePort: 631, program: programs.proxy })).toBe('refused');
});

test('an engine that is the same program as the proxy reaches its gateway, and nothing else', async () => {
  const { engine } = programs;
  const same = identities.engine;
  const surroundings = () => ({ engine: same, proxy: same, tunnel: undefined });
  const filter = createPacketFilter({ filtering: machine.calls.filtering, surroundings, log });
  await filter.set(rulesFor({ mode: 'pac', routeDomains: ['example.org'], blockedDomains: [] }));
  expect(machine.outcome(https(gateway.address, { program: engine }))).toBe('outside');
  expect(machine.outcome(https(listed, { program: engine }))).toBe('refused');
  expect(machine.outcome(https(listed))).toBe('outside');
});

test('a router that is new while connected leads to the gateway, and is the default afterwards (openwrt packages 4343)', async () => {
  const helper = await connect();
  const outside = machine.ip.routes.filter(({ luid }) => luid === ethernet);
  for (const route of outside.filter(({ prefix }) => prefix === '0.0.0.0/0')) route.nextHop = '192.168.7.254';
  expect(await helper.verify()).toBe(true);
  const toGateway = () => machine.ip.routes.filter(({ prefix }) => prefix === `${gateway.address}/32`);
  expect(toGateway().map(({ nextHop }) => nextHop)).toEqual(['192.168.7.254']);
  await helper.release({ keepBlocking: false });
  expect(toGateway()).toEqual([]);
  const defaults = machine.ip.routes.filter(({ prefix }) => prefix === '0.0.0.0/0');
  expect(defaults.map(({ nextHop }) => nextHop)).toEqual(['192.168.7.254']);
});

test('a route to the gateway that somebody else has made is as before after a connection', async () => {
  const own = { luid: ethernet, prefix: `${gateway.address}/32`, nextHop: '192.168.7.1', metric: 1 };
  machine.ip.routes.push(own);
  const before = machine.snapshot();
  const helper = await connect();
  expect(machine.outcome(https(gateway.address, { program: programs.engine }))).toBe('outside');
  expect(await helper.verify()).toBe(true);
  await helper.release({ keepBlocking: false });
  expect(machine.snapshot()).toEqual(before);
});

const storage = '00000000-0000-4000-8000-000000000003';

test('the way to the gateway is none of an interface that ignores default routes (WSL 41272, mozilla-vpn-client 3282)', async () => {
  machine.addInterface(wifi, storage, 0);
  machine.joinNetwork(wifi, '44');
  for (const one of machine.ip.ipInterfaces.filter(({ luid }) => luid === wifi))
    one.ignoresDefaultRoutes = true;
  await connect();
  const [pin, ...others] = machine.ip.routes.filter(({ prefix }) => prefix === `${gateway.address}/32`);
  expect([pin?.luid, others]).toEqual([ethernet, []]);
  expect(machine.outcome(https(gateway.address, { program: programs.engine }))).toBe('outside');
});

test('an interface of ours that is told to ignore default routes is put right (amnezia-client 3143)', async () => {
  const helper = await connect({ mode: 'pac', routeDomains: ['example.org'], blockedDomains: [] });
  const own = machine.ip.ipInterfaces.filter(({ luid }) => luid === machine.tunnel);
  for (const one of own) one.ignoresDefaultRoutes = true;
  const bound = https(unlisted, { program: programs.proxy, boundTo: { address: '10.9.0.2' } });
  expect(machine.outcome(bound)).not.toBe('tunnel');
  await helper.verify();
  expect(machine.outcome(bound)).toBe('tunnel');
});

test('a new temporary address of IPv6 is no other way to the gateway, another network is (sing-box 4564)', async () => {
  const { ipHelper } = machine.calls;
  const monitor = createNetworkMonitor(ipHelper);
  const uplink = createUplink({ ipHelper, tunnel: () => machine.tunnel, monitor });
  const way = () => uplink.routeTo('2001:db8:99::1');
  const before = await way();
  expect(before).toBeDefined();
  const temporary = { luid: ethernet, address: '2001:db8:7:0:1234:5678:9abc:def0', prefixLength: 128 };
  machine.ip.addresses.push(temporary);
  expect(await way()).toBe(before);
  machine.ip.addresses.push({ ...temporary, address: '2001:db8:8::44' });
  expect(await way()).not.toBe(before);
  // Of IPv4, another address is another way, since connections of before end.
  const ofIpv4 = await uplink.routeTo(gateway.address);
  machine.ip.addresses.push({ luid: ethernet, address: '192.168.7.21', prefixLength: 24 });
  expect(await uplink.routeTo(gateway.address)).not.toBe(ofIpv4);
});
