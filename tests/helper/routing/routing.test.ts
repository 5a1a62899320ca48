import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Routing, TunnelState } from '#shared/tunnel/state.ts';
import { addresses, names } from '../../lab/network/addresses.ts';
import { isHardwareTold } from '../../lab/network/hardware-address.ts';
import { sendOddPacket } from '../../lab/packets/odd-packet.ts';
import { words } from '../../lab/runs/process.ts';
import { isExhaustive } from '../../lab/runs/thoroughness.ts';
import { createHelperLab, type HelperLab } from '../support/helper-lab.ts';
import type { TestClient } from '../support/callers/test-client.ts';
import { seenBy } from '../support/programs/seen-by.ts';
import { curlLimits, silenceSeconds } from '../../lab/probes/probe.ts';
import { knockInside } from '../../lab/probes/socket-inside.ts';

type Connected = Extract<TunnelState, { state: 'connected' }>;

let net: HelperLab;
/** Where the tunnel's datagrams go: to another port than its connection, as a gateway may name one. */
const udpPort = 4_443;

beforeAll(async () => {
  net = await createHelperLab({ gateway: { udpPort } });
  await filterReversePathStrictly();
  await net.start();
});

afterAll(async () => {
  await net[Symbol.asyncDispose]();
});

const connectTunnel = ({ localNetwork = false } = {}): Promise<TestClient> =>
  net.connect({ routing: { mode: 'global', localNetwork } });

async function filterReversePathStrictly(): Promise<void> {
  for (const device of ['all', 'default', 'uplink']) {
    await net.lab.user.run(['sysctl', '-qw', `net.ipv4.conf.${device}.rp_filter=1`]);
  }
}

test('strict reverse path filtering lets the tunnel through, and a packet filter that drops what seems forged', async () => {
  const { user } = net.lab;
  const { ipv4: host } = addresses.gateway;
  await user.run(['nft', '-f', '-'], { input: forgeryFilter });
  const before = await user.snapshot();
  expect(await oddPacketsOutside(net, host)).toEqual(expect.arrayContaining(oddProtocols));
  const client = await connectTunnel();
  await client.until('connected', { where: ({ transport }) => transport === 'dtls' });
  expect(await seenBy(net, addresses.echo.ipv4)).toBe(host);
  // A router that has forgotten this machine asks from any of its addresses (ip-sysctl.rst, arp_announce).
  for (const asker of [addresses.router.ipv4, addresses.neighbour.ipv4, addresses.echo.ipv4])
    expect(await isHardwareTold(net.lab, addresses.user.ipv4, asker)).toBe(true);
  // For such filters' sake, routing leads these to the uplink.
  expect(await oddPacketsOutside(net, host)).toEqual([]);
  await client.call('disconnect', {});
  expect(await user.snapshot()).toBe(before);
  await user.run(words('nft delete table inet forged'));
});

test('a port of the gateway’s host that is not the gateway’s goes through the tunnel, or nowhere', async () => {
  const { user, internet } = net.lab;
  const { ipv4: host } = addresses.gateway;
  // A connection to another port, and a datagram to that of the engine's own.
  const sends = [
    ...words(`bash -c`),
    `curl --silent ${curlLimits().join(' ')} http://${host}/x; printf 'another program' >/dev/udp/${host}/${udpPort}`,
  ];
  const outside = async () => {
    const capture = await net.lab.capture(`dst host ${host} and not tcp port 443`);
    await user.exec(sends);
    const packets = await capture.stop();
    return {
      connections: packets.filter(({ destinationPort }) => destinationPort === 80).length > 0,
      datagrams: packets.some(({ payload }) => payload.includes('another program')),
    };
  };
  const ping = async (...rest: string[]) =>
    (await internet.exec([...words('ping -c 1 -W 1'), ...rest])).code === 0;
  const client = await connectTunnel();
  const { addresses: own } = await client.until('connected');
  expect(await outside()).toEqual({ connections: false, datagrams: false });
  await internet.run(['ip', 'route', 'add', `${own.ipv4}/32`, 'via', addresses.user.ipv4]);
  expect(await ping('-I', addresses.router.ipv4, own.ipv4 ?? '')).toBe(false);
  // Not even an answer to who asks the machine's own address leaves outside the tunnel.
  expect(await ping(addresses.user.ipv4)).toBe(false);
  await client.call('disconnect', {});
  // The positive controls.
  expect(await outside()).toEqual({ connections: true, datagrams: true });
  expect(await ping(addresses.user.ipv4)).toBe(true);
  await internet.run(words(`ip route del ${own.ipv4}/32`));
  expect(await user.run(['nft', 'list', 'ruleset'])).toBe('');
});

/** TCP and UDP; GRE, SCTP, and a number for experiments (RFC 3692). */
const oddProtocols = [6, 17, 47, 132, 253];

/** The protocols of what reaches the uplink of what is sent to a host in none, or to the last port. */
async function oddPacketsOutside({ lab }: HelperLab, destination: string): Promise<number[]> {
  const { user } = lab;
  const capture = await lab.capture(`dst host ${destination} and not port 443 and not port ${udpPort}`);
  const last = 65_535;
  // Where SCTP has its ports, or the capture would not look further.
  const payload = 'abcd'.repeat(6);
  for (const protocol of oddProtocols.slice(2)) await sendOddPacket(user, { destination, protocol, payload });
  await sendOddPacket(user, { destination, ports: { source: 4444, destination: last }, payload });
  knockInside(user.namespace, destination, last);
  return (await capture.stop()).map(({ protocol }) => protocol);
}

/** As firewalld has it for IPv6 (IPv6_rpfilter, firewalld.conf(5)), and many others for both, without the marks. */
const forgeryFilter = `table inet forged {
  chain prerouting {
    type filter hook prerouting priority filter + 10
    icmpv6 type { nd-router-advert, nd-neighbor-solicit } accept
    fib saddr . iif oif missing drop
  }
}`;

/** An IPv4 tunnel over IPv6, too. */
if (isExhaustive)
  describe('a gateway of both IP versions', () => {
    let both: HelperLab;
    beforeAll(async () => {
      both = await createHelperLab({ gatewayFamilies: 'dual-stack' });
      await both.lab.user.run(['nft', '-f', '-'], { input: forgeryFilter });
      await both.start();
    });
    afterAll(() => both[Symbol.asyncDispose]());

    const { ipv4, ipv6 } = addresses.gateway;
    test.each([ipv4, ipv6])(
      'at %s: a packet filter that drops what seems forged, as firewalld’s does, lets the tunnel through',
      async (address) => {
        expect(await oddPacketsOutside(both, address)).toEqual(expect.arrayContaining(oddProtocols));
        const client = await both.connect({ session: await both.signIn(), address });
        await client.until('connected', { where: ({ transport }) => transport === 'dtls' });
        expect(await seenBy(both, addresses.echo.ipv4)).toBe(ipv4);
        const host = address.includes(':') ? `[${address}]` : address;
        expect(await both.lab.user.run(['ss', '-Hnt', 'dst', host])).toContain(host);
        // For that filter's sake, routing leads these to the uplink.
        expect(await oddPacketsOutside(both, address)).toEqual([]);
        await client.call('disconnect', {});
      },
    );
  });

test('the local network stays reachable if it is asked for, never sees a name look-up, and is out of reach otherwise', async () => {
  const { user } = net.lab;
  const { neighbour, userPrivate } = addresses;
  const control = await net.lab.capture('port 53 or port 853');
  await user.exec(['bash', '-c', `printf 'query-of-names' >/dev/udp/${neighbour.ipv4}/53`]);
  expect(await control.stop()).not.toEqual([]);
  const bound = `curl --silent ${curlLimits().join(' ')} --interface uplink http://${addresses.echo.ipv4}/x`;
  expect((await user.exec(words(bound))).code).toBe(0);
  expect(await seenBy(net, neighbour.ipv4)).toBe(userPrivate.ipv4);

  const client = await connectTunnel();
  for (const localNetwork of [true, false, true]) {
    await client.call('setRouting', { routing: { mode: 'global', localNetwork } });
    expect(client.states.at(-1)).toMatchObject({ state: 'connected', routing: { localNetwork } });
    for (const [host, own] of [
      [neighbour.ipv4, userPrivate.ipv4],
      [neighbour.ipv6, userPrivate.ipv6],
    ] as const) {
      if (localNetwork) expect(await seenBy(net, host)).toBe(own);
      else expect(await seenBy(net, host)).not.toBe(own);
    }
    expect(await seenBy(net, addresses.echo.ipv4)).toBe(addresses.gateway.ipv4);
  }
  expect((await user.exec(words(bound))).code, 'bound to the uplink').not.toBe(0);

  const quiet = await net.lab.capture('port 53 or port 853');
  for (const port of [53, 853])
    for (const protocol of ['udp', 'tcp'])
      await user.exec(['bash', '-c', `printf x >/dev/${protocol}/${neighbour.ipv4}/${port}`]);
  expect(await quiet.stop()).toEqual([]);
  // NetBIOS asks for what DNS does not know, everybody at once; multicast DNS for what is in `.local`.
  const others = await net.lab.capture('udp and (port 137 or port 5353)');
  const listeners = [neighbour.ipv4, '192.168.37.255'];
  for (const destination of listeners)
    await user.run([
      process.execPath,
      '-e',
      sendDatagrams,
      '--',
      userPrivate.ipv4,
      destination,
      '137',
      '5353',
    ]);
  const asked = (await others.stop()).map((packet) => `${packet.destination} ${packet.destinationPort}`);
  expect(new Set(asked)).toEqual(new Set(listeners.map((to) => `${to} 5353`)));
  expect(await user.resolve(names.inside)).toContain(addresses.inside.ipv4);

  // One that is attached later is as reachable.
  await user.run(['ip', 'address', 'add', '10.200.0.5/24', 'dev', 'uplink']);
  const table = words('nft list table inet waymaker');
  await expect.poll(() => user.run(table)).toContain('10.200.0.0/24');
  await user.run(['ip', 'address', 'del', '10.200.0.5/24', 'dev', 'uplink']);
  await client.call('disconnect', {});
});

/** Sends a datagram from an address, to one host or to all of its link, for each port. */
const sendDatagrams = `
  const [own, destination, ...ports] = process.argv.slice(1);
  const socket = require('node:dgram').createSocket('udp4');
  socket.bind(0, own, () => {
    socket.setBroadcast(true);
    let left = ports.length;
    for (const port of ports) socket.send('x', Number(port), destination, () => --left || socket.close());
  });`;

describe('what comes out of the tunnel uninvited', () => {
  /** A service on every address of the user's machine: over TCP, it says which datagrams have come. */
  const service = `
    const heard = [];
    const datagrams = require('node:dgram').createSocket({ type: 'udp6' });
    datagrams.on('message', (text) => heard.push(String(text).trim())).bind(8080);
    const answer = (request, reply) => reply.end(JSON.stringify(heard));
    require('node:http').createServer(answer).listen(8080, '::', () => console.log('ready'));
  `;
  const inUrl = (address: string) => (address.includes(':') ? `[${address}]` : address);
  const webPage = (address: string) => [
    'curl',
    '-s',
    '-g',
    ...curlLimits(),
    `http://${inUrl(address)}:8080/`,
  ];

  /** What the gateway gets at of the user's machine: services, and an answer to a ping. */
  async function reached({ addresses: { ipv4 = '', ipv6 = '' } }: Connected): Promise<string[]> {
    const { user, gatewayMachine } = net.lab;
    const succeeds = async (argv: string[]) => (await gatewayMachine.exec(argv)).code === 0;
    // It knows another of the machine's addresses, and sends to it through the tunnel, too.
    const near = addresses.userPrivate.ipv4;
    const device = (await gatewayMachine.run(['bash', '-c', "ls /sys/class/net | grep '^vpns'"])).trim();
    await gatewayMachine.run(['ip', 'route', 'add', near, 'dev', device]);
    const markers = [ipv4, ipv6, near].map((address) => ({
      address,
      marker: randomBytes(6).toString('hex'),
    }));
    for (const { address, marker } of markers)
      await gatewayMachine.run(['bash', '-c', `echo ${marker} >/dev/udp/${address}/8080`]);
    const found = await Promise.all(
      [ipv4, ipv6].flatMap((address) => [
        succeeds(webPage(address)).then((is) => (is ? [`tcp ${address}`] : [])),
        succeeds(['ping', '-c1', `-W${silenceSeconds()}`, address]).then((is) =>
          is ? [`ping ${address}`] : [],
        ),
      ]),
    );
    await gatewayMachine.run(['ip', 'route', 'del', near, 'dev', device]);
    const heard = JSON.parse(await user.run(webPage('127.0.0.1'))) as string[];
    return [
      ...found.flat(),
      ...markers.filter(({ marker }) => heard.includes(marker)).map(({ address }) => `udp ${address}`),
    ];
  }

  const modes = {
    pac: { mode: 'pac', routeDomains: [names.where], blockedDomains: [] },
    app: { mode: 'app', policy: 'include', localNetwork: false },
    ip: { mode: 'ip', policy: 'include', routeIps: [`${addresses.echo.ipv4}/32`], localNetwork: false },
    // The last one is that in which answers come back after that.
    global: { mode: 'global', localNetwork: false },
  } as const satisfies Record<string, Routing>;

  test('reaches nothing in any mode unless that is wanted, while answers do', async () => {
    const { user } = net.lab;
    await user.spawnUntil([process.execPath, '-e', service], /ready/);
    const client = await net.connect({ allowIncoming: true });
    // What comes while the gateway goes over to datagrams may get lost.
    const state = await client.until('connected', { where: ({ transport }) => transport === 'dtls' });
    const { ipv4, ipv6 } = state.addresses;
    const everything = [ipv4, ipv6].flatMap((address) => [`tcp ${address}`, `ping ${address}`]);
    everything.push(`udp ${ipv4}`, `udp ${ipv6}`);
    expect(await reached(state)).toEqual(everything);
    for (const routing of Object.values(modes)) {
      await client.call('setRouting', { routing, allowIncoming: false });
      expect(await reached(state), routing.mode).toEqual([]);
    }
    if (isExhaustive) {
      await client.call('setRouting', { routing: modes.global, allowIncoming: true });
      expect(await reached(state)).toEqual(everything);
      await client.call('setRouting', { routing: modes.ip });
      expect(await reached(state), 'it stays so in another mode').toEqual(everything);
      await client.call('setRouting', { routing: modes.global, allowIncoming: false });
      expect(await reached(state)).toEqual([]);
    }

    expect(await user.probe.http4('x')).toMatchObject({ address: addresses.gateway.ipv4 });
    expect(await user.probe.http6('x')).toMatchObject({ address: addresses.gateway.ipv6 });
    expect(await user.resolve(names.inside)).toContain(addresses.inside.ipv4);
    expect((await user.exec(['ping', '-c1', '-W5', addresses.inside.ipv4])).code).toBe(0);
    await client.call('disconnect', {});
  });
});

if (isExhaustive)
  test('a resolv.conf that is a symbolic link stays one, and its target is put back', async () => {
    const { user, directory } = net.lab;
    const [etc, target] = [path.join(directory, 'etc'), path.join(directory, 'real-resolv.conf')];
    const original = '# written by somebody\r\nnameserver 203.0.113.53';
    await writeFile(target, original, { mode: 0o640 });
    await user.run(['cp', '-a', '/etc', etc]);
    await user.run(['rm', path.join(etc, 'resolv.conf')]);
    await user.run(['ln', '-s', target, path.join(etc, 'resolv.conf')]);
    await user.run(['cp', '/etc/passwd', '/etc/group', etc]);
    await user.run(['mount', '--bind', etc, '/etc']);
    onTestFinished(async () => {
      await user.run(['umount', '--lazy', '/etc']);
    });
    const client = await connectTunnel();
    expect(await readFile(target, 'utf8')).toContain(`nameserver ${addresses.inside.ipv4}`);
    expect(await user.resolve(names.inside)).toContain(addresses.inside.ipv4);
    await client.call('disconnect', {});
    expect(await readFile(target, 'utf8')).toBe(original);
    expect(await user.run(['readlink', '/etc/resolv.conf'])).toBe(`${target}\n`);
    expect(await user.run(['stat', '-c', '%a', target])).toBe('640\n');
  });

test('a gateway without DTLS carries the tunnel over TLS, and the state says so', async () => {
  await net.lab.gateway.restart({ dtls: false });
  const client = await connectTunnel();
  expect(await seenBy(net, addresses.echo.ipv4)).toBe(addresses.gateway.ipv4);
  expect(await client.call('snapshot', {})).toMatchObject({ state: 'connected', transport: 'tls' });
  await client.call('disconnect', {});
});
