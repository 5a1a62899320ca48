import { once } from 'node:events';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addresses } from '../../lab/network/addresses.ts';
import { takeLab } from '../../lab/kept-labs.ts';
import type { Lab } from '../../lab/lab.ts';
import { isExhaustive } from '../../lab/runs/thoroughness.ts';

/** What the helper asks of the kernel without a program in between, on the laboratory's user machine. */

const helper = path.resolve(import.meta.dirname, '../../../helper');
let lab: Lab;

beforeAll(async () => {
  lab = await takeLab({ gateway: false });
});

afterAll(async () => {
  await lab[Symbol.asyncDispose]();
});

/** Runs a call of one of the helper's modules on the user's machine. */
async function call(module: string, expression: string): Promise<string> {
  const script = `const module = await import('${helper}/${module}'); await module.${expression};`;
  return lab.user.run([process.execPath, '--input-type=module', '--eval', script]);
}

const batch = (lines: string, family = '-4') =>
  lab.user.run(['ip', family, '-batch', '-'], { input: lines.replaceAll(/^ +/gm, '').trim() });

/** The helper's numbers: tables 5187 and 5188, protocol 87. Somebody else's rules and routes are beside them. */
async function makeOurs(): Promise<void> {
  await batch(`
    tuntap add dev wm0 mode tun
    link set dev wm0 up
    address add 198.51.100.150/32 dev wm0
    route add default dev wm0 table 5187 protocol 87
    route add 203.0.113.0/28 dev wm0 table 5187 protocol 87
    route add unreachable default table 5187 metric 4294967295 protocol 87
    route add 203.0.113.0/28 dev wm0 table 5188 protocol 87
    route add unreachable 203.0.113.0/28 table 5188 metric 4294967295 protocol 87
    route add throw 203.0.113.1/32 table 5188 protocol 87
    nexthop add id 1464669252 blackhole protocol 87
    route add unreachable 203.0.113.64/28 nhid 1464669252 table 5188 metric 4294967295 protocol 87
    rule add priority 5181 protocol 87 to 198.51.100.2/32 ipproto tcp dport 443 lookup main
    rule add priority 5182 protocol 87 uidrange 990-990 unreachable
    rule add priority 5185 protocol 87 lookup 5187
  `);
  await batch(
    `
    address add 2001:db8:2:100::150/128 dev wm0 nodad
    route add default dev wm0 table 5187 protocol 87
    route add unreachable default table 5187 metric 4294967295 protocol 87
    route add unreachable 2001:db8:3::/48 table 5188 metric 4294967295 protocol 87
    route add throw 2001:db8:3::80/128 table 5188 protocol 87
    rule add priority 5184 protocol 87 lookup main suppress_prefixlength 0
    rule add priority 5185 protocol 87 lookup 5187
  `,
    '-6',
  );
}

async function removeOurs(): Promise<void> {
  await call('linux/netlink/netlink-routes.ts', 'removeRulesAndRoutes([4, 6])');
  await call('linux/netlink/netlink-routes.ts', `removeLink('wm0')`);
}

test('what is ours is removed, whether it is there or not, and nothing else', async () => {
  await batch(`
    rule add priority 5185 protocol 88 uidrange 1-1 lookup 5187
    route add 203.0.113.16/28 dev uplink table 5187 protocol 88
    route add 203.0.113.32/28 dev uplink protocol 87 table 5190
    nexthop add id 5188 blackhole
    route add 203.0.113.48/28 nhid 5188 table 5188
  `);
  const before = await lab.user.snapshot();
  await removeOurs();
  expect(await lab.user.snapshot()).toBe(before);
  await makeOurs();
  expect(await lab.user.snapshot()).not.toBe(before);
  await removeOurs();
  expect(await lab.user.snapshot()).toBe(before);
});

test('the way of a packet is the one that ip(8) tells, also where it depends on the user or leads nowhere', async () => {
  const neighbour = 'fe80::1';
  await batch(`
    route add unreachable 203.0.113.96/28
    route add 203.0.113.112/28 via inet6 ${neighbour} dev uplink
    rule add priority 100 uidrange 990-990 lookup 100
    route add 203.0.113.80/32 dev uplink table 100
  `);
  await batch('route add unreachable 2001:db8:ffff::/48', '-6');
  const asked: [address: string, uid?: number][] = [
    ['127.0.0.1'],
    [addresses.router.ipv4],
    ['203.0.113.80'],
    ['203.0.113.80', 990],
    ['203.0.113.97'],
    ['203.0.113.113'],
    [addresses.router.ipv6],
    ['2001:db8:3::80', 990],
    ['2001:db8:ffff::1'],
  ];
  const script = `
    const { findWay } = await import('${helper}/linux/netlink/netlink-way.ts');
    const found = [];
    for (const [address, uid] of ${JSON.stringify(asked)}) found.push((await findWay(address, uid)) ?? null);
    console.log(JSON.stringify(found));`;
  const found = JSON.parse(
    await lab.user.run([process.execPath, '--input-type=module', '--eval', script]),
  ) as unknown[];
  const told = asked.map(async ([address, uid]) => {
    const of = uid === undefined ? [] : ['uid', String(uid)];
    const { code, stdout } = await lab.user.exec(['ip', '-j', 'route', 'get', address, ...of]);
    if (code !== 0) return null;
    const [route] = JSON.parse(stdout) as {
      dev: string;
      gateway?: string;
      via?: { host: string };
      prefsrc?: string;
    }[];
    const shown = await lab.user.run(['ip', '-j', 'link', 'show', 'dev', route?.dev ?? '']);
    const [link] = JSON.parse(shown) as { mtu: number }[];
    return {
      gateway: route?.gateway ?? route?.via?.host,
      device: route?.dev,
      mtu: link?.mtu,
      source: route?.prefsrc,
    };
  });
  expect(found).toEqual(await Promise.all(told));
  const ways = found.map((way) => way as { gateway?: string; device: string } | null);
  expect(ways.map((way) => way && [way.gateway, way.device])).toEqual([
    [undefined, 'lo'],
    [undefined, 'uplink'],
    [addresses.router.ipv4, 'uplink'],
    [undefined, 'uplink'],
    null,
    [neighbour, 'uplink'],
    [undefined, 'uplink'],
    [addresses.router.ipv6, 'uplink'],
    null,
  ]);
  await batch(`
    rule del priority 100
    route flush table 100
    route del unreachable 203.0.113.96/28
    route del 203.0.113.112/28
  `);
  await batch('route del unreachable 2001:db8:ffff::/48', '-6');
});

test('what is ours is found, and what somebody took away is not', async () => {
  const look = async () => {
    const script = `
      const state = await import('${helper}/linux/netlink/netlink-state.ts');
      const device = await state.readTunnelDevice();
      const has = (address) => state.hasAddresses(device?.index ?? 1, [address]);
      console.log(JSON.stringify({
        rules: [(await state.ourRules(4)).length, (await state.ourRules(6)).length],
        tables: [await state.readTunnelTable(4), await state.readTunnelTable(6)],
        device: device && [device.isUp, device.mtu],
        addresses: [await has('198.51.100.150'), await has('2001:db8:2:100::150'), await has('198.51.100.151')],
      }));`;
    return JSON.parse(
      await lab.user.run([process.execPath, '--input-type=module', '--eval', script]),
    ) as Record<string, unknown>;
  };
  const nothing = { leads: false, refuses: false };
  const all = { leads: true, refuses: true };
  await makeOurs();
  expect(await look()).toEqual({
    rules: [3, 2],
    tables: [all, all],
    device: [true, 1500],
    addresses: [true, true, false],
  });
  await batch(`
    rule del priority 5182
    route del default dev wm0 table 5187
    route add default dev uplink table 5187 protocol 87
    link set dev wm0 mtu 1400
  `);
  await batch(
    `
    route del unreachable default table 5187 metric 4294967295
    address del 2001:db8:2:100::150/128 dev wm0
  `,
    '-6',
  );
  expect(await look()).toEqual({
    rules: [2, 2],
    tables: [
      { leads: false, refuses: true },
      { leads: true, refuses: false },
    ],
    device: [true, 1400],
    addresses: [true, false, false],
  });
  await removeOurs();
  expect(await look()).toEqual({
    rules: [0, 0],
    tables: [nothing, nothing],
    addresses: [false, false, false],
  });
});

if (isExhaustive)
  test('rules are added before others are removed, and only what is there or gone already may fail', async () => {
    const rule = (address: string) => `priority 5181 protocol 87 to ${address}/32 lookup main`;
    const change = (added: string[], removed: string[]) => {
      const lines = (verb: string, all: string[]) =>
        JSON.stringify(all.map((address) => `rule ${verb} ${rule(address)}\n`).join(''));
      const script = `
      const { ipChangeBatch } = await import('${helper}/linux/routing/ip-batch.ts');
      const { runCommand } = await import('${helper}/posix/command.ts');
      await ipChangeBatch(runCommand, { additions: ${lines('add', added)}, removals: ${lines('del', removed)} }, 4);`;
      return lab.user.exec([process.execPath, '--input-type=module', '--eval', script]);
    };
    const there = async () =>
      [...(await lab.user.run(['ip', 'rule'])).matchAll(/192\.0\.2\.\d+/g)].map(String).sort();
    const [one, two, three] = ['192.0.2.201', '192.0.2.202', '192.0.2.203'] as const;
    expect((await change([one, two], [])).code).toBe(0);
    expect((await change([three], [one])).code).toBe(0);
    expect(await there()).toEqual([two, three]);
    expect((await change([two, one], [one, '192.0.2.204', three])).code).toBe(0);
    expect(await there()).toEqual([two]);
    expect((await change([three, '192.0.2.999'], [two])).code).not.toBe(0);
    expect(await there()).toEqual([two, three]);
    expect((await change([], [two, three])).code).toBe(0);
  });

if (isExhaustive)
  test('a look at the device that cannot be made is an error, and not a device that is gone', async () => {
    const script = `
    const { openSync } = await import('node:fs');
    const { readTunnelDevice } = await import('${helper}/linux/netlink/netlink-state.ts');
    console.log(await readTunnelDevice());
    try {
      for (;;) openSync('/dev/null');
    } catch {}
    await readTunnelDevice();`;
    const few = ['prlimit', '--nofile=64', '--'];
    const { code, stdout, stderr } = await lab.user.exec(
      few.concat(process.execPath, '--input-type=module', '--eval', script),
    );
    expect([code, stdout, stderr]).toEqual([1, 'undefined\n', expect.stringContaining('no socket')]);
  });

if (isExhaustive)
  test('a refusal of the kernel is an error', async () => {
    await expect(call('linux/netlink/netlink-routes.ts', `removeLink('lo')`)).rejects.toThrow('errno');
    // Without CAP_NET_ADMIN.
    const script = `const { removeLink } = await import('${helper}/linux/netlink/netlink-routes.ts'); await removeLink('lo');`;
    const asNobody = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', '--'];
    const { code, stderr } = await lab.user.exec(
      asNobody.concat(process.execPath, '--input-type=module', '--eval', script),
    );
    expect([code, stderr]).toEqual([1, expect.stringContaining('NetlinkError')]);
  });

/** A connection to port 7007 here, which ends with status 7 when the kernel ends it. */
async function open(kind: 'tcp' | 'udp', from: string, to: string) {
  const script =
    kind === 'tcp'
      ? `const socket = require('node:net').connect({ host: '${to}', port: 7007, localAddress: '${from}' },
           () => console.log('open'));`
      : `const socket = require('node:dgram').createSocket('${from.includes(':') ? 'udp6' : 'udp4'}');
         socket.bind(0, '${from}', () => socket.connect(7007, '${to}', () => console.log('open')));`;
  const onError = `socket.on('error', ({ code }) => process.exit(code === 'ECONNABORTED' ? 7 : 1));`;
  return lab.user.spawnUntil([process.execPath, '-e', script + onError], /open/);
}

if (isExhaustive)
  test('connections from an address end, and those from others go on', async () => {
    const server = `require('node:net').createServer((socket) => socket.on('error', () => {}))
    .listen(7007, '::', () => console.log('listening'));`;
    await lab.user.spawnUntil([process.execPath, '-e', server], /listening/);
    await batch('address add 198.51.100.150/32 dev lo');
    await batch('address add 2001:db8:2:100::150/128 dev lo nodad', '-6');
    const ours = [
      await open('tcp', '198.51.100.150', '127.0.0.1'),
      await open('tcp', '2001:db8:2:100::150', '::1'),
      // An IPv4 address as an IPv6 socket has it.
      await open('tcp', '::ffff:198.51.100.150', '::ffff:127.0.0.1'),
      await open('udp', '198.51.100.150', '127.0.0.1'),
      await open('udp', '2001:db8:2:100::150', '::1'),
    ];
    const others = [await open('tcp', '127.0.0.1', '127.0.0.1'), await open('udp', '::1', '::1')];
    const ended = Promise.all(ours.map((child) => once(child, 'exit')));
    await call(
      'linux/netlink/netlink-sockets.ts',
      `endSocketsFrom(['198.51.100.150', '2001:db8:2:100::150'])`,
    );
    expect((await ended).map(([code]) => code as number)).toEqual(ours.map(() => 7));
    // As the kernel has it: a program may learn later that its connection was ended.
    const left = await lab.user.run(['ss', '-Htun', 'state', 'connected', 'dport', '=', ':7007']);
    expect(left.split('\n').filter(Boolean)).toHaveLength(others.length);
    expect(others.map(({ exitCode }) => exitCode)).toEqual([null, null]);
  });
