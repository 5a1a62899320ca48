import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Routing, TunnelState } from '#shared/tunnel/state.ts';
import { addresses, names } from '../../lab/network/addresses.ts';
import { isHardwareTold } from '../../lab/network/hardware-address.ts';
import { sendOddPacket } from '../../lab/packets/odd-packet.ts';
import { createHelperLab, type HelperLab } from '../support/helper-lab.ts';
import type { TestClient } from '../support/callers/test-client.ts';
import { curlLimits } from '../../lab/probes/probe.ts';

type Connected = Extract<TunnelState, { state: 'connected' }>;

let net: HelperLab;

beforeEach(async () => {
  net = await createHelperLab();
});

afterEach(async () => {
  await net[Symbol.asyncDispose]();
});

async function connectTunnel({ localNetwork = false } = {}): Promise<TestClient> {
  await net.start();
  const client = await net.attach();
  const session = await net.signIn();
  await client.call('connect', net.request({ session, routing: { mode: 'global', localNetwork } }));
  await client.until('connected');
  return client;
}

/** The source address that an HTTP echo saw, or undefined if it cannot be reached. */
async function sourceSeenBy(host: string): Promise<string | undefined> {
  const { code, stdout } = await net.lab.user.exec(['curl', '--silent', ...curlLimits(), `http://${host}/x`]);
  return code === 0 ? (JSON.parse(stdout) as { address: string }).address : undefined;
}

async function filterReversePathStrictly(): Promise<void> {
  for (const device of ['all', 'default', 'uplink']) {
    await net.lab.user.run(['sysctl', '-qw', `net.ipv4.conf.${device}.rp_filter=1`]);
  }
}

test('strict reverse path filtering lets the tunnel through', async () => {
  await filterReversePathStrictly();
  const before = await net.lab.user.snapshot();
  const client = await connectTunnel();
  await client.until('connected', { where: ({ transport }) => transport === 'dtls' });
  expect(await sourceSeenBy(addresses.echo.ipv4)).toBe(addresses.gateway.ipv4);
  // A router that has forgotten this machine asks from any of its addresses (ip-sysctl.rst, arp_announce).
  for (const asker of [addresses.router.ipv4, addresses.neighbour.ipv4, addresses.echo.ipv4])
    expect(await isHardwareTold(net.lab, addresses.user.ipv4, asker)).toBe(true);
  await client.call('disconnect', {});
  expect(await net.lab.user.snapshot()).toBe(before);
});

test('datagrams of the tunnel alone go to another port that the gateway names, and come back', async () => {
  const { user, gateway } = net.lab;
  const port = 4_443;
  await gateway.restart({ udpPort: port });
  await filterReversePathStrictly();
  const client = await connectTunnel();
  await client.until('connected', { where: ({ transport }) => transport === 'dtls' });
  expect(await sourceSeenBy(addresses.echo.ipv4)).toBe(addresses.gateway.ipv4);
  const capture = await net.lab.capture(`udp and dst host ${addresses.gateway.ipv4} and dst port ${port}`);
  const text = 'another program';
  const others = async () => (await capture.packets()).filter(({ payload }) => payload.includes(text));
  const send = ['bash', '-c', `printf '${text}' >/dev/udp/${addresses.gateway.ipv4}/${port}`];
  await user.exec(send);
  expect(await others()).toEqual([]);
  await client.call('disconnect', {});
  await user.exec(send);
  expect(await others()).toHaveLength(1);
});

test('a packet filter that drops what seems forged, as firewalld’s does, lets the tunnel through', async () => {
  await net[Symbol.asyncDispose]();
  net = await createHelperLab({ gatewayFamilies: 'dual-stack' });
  await net.lab.user.run(['nft', '-f', '-'], { input: forgeryFilter });
  await net.start();
  const client = await net.attach();
  for (const address of Object.values(addresses.gateway)) {
    expect(await oddPacketsOutside(address)).toEqual(expect.arrayContaining(oddProtocols));
    const seen = client.states.length;
    await client.call('connect', net.request({ session: await net.signIn(), address }));
    await client.until('connected', { seen, where: ({ transport }) => transport === 'dtls' });
    expect(await sourceSeenBy(addresses.echo.ipv4)).toBe(addresses.gateway.ipv4);
    // For that filter's sake, routing leads these to the uplink.
    expect(await oddPacketsOutside(address)).toEqual([]);
    await client.call('disconnect', {});
  }
});

/** TCP and UDP; GRE, SCTP, and a number for experiments (RFC 3692). */
const oddProtocols = [6, 17, 47, 132, 253];

/** The protocols of what reaches the uplink of what is sent to a host in none, or to the last port. */
async function oddPacketsOutside(destination: string): Promise<number[]> {
  const { user } = net.lab;
  const capture = await net.lab.capture(`dst host ${destination} and not port 443`);
  const last = 65_535;
  // Where SCTP has its ports, or the capture would not look further.
  const payload = 'abcd'.repeat(6);
  for (const protocol of oddProtocols.slice(2)) await sendOddPacket(user, { destination, protocol, payload });
  await sendOddPacket(user, { destination, ports: { source: 4444, destination: last }, payload });
  await user.exec(['timeout', '2', 'bash', '-c', `: >/dev/tcp/${destination}/${last}`]);
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

/** Sends a datagram from an address, to one host or to all of its link. */
const sendDatagram = `
  const [own, destination, port] = process.argv.slice(1);
  const socket = require('node:dgram').createSocket('udp4');
  socket.bind(0, own, () => {
    socket.setBroadcast(true);
    socket.send('x', Number(port), destination, () => socket.close());
  });`;

describe('the local network', () => {
  test('stays reachable if it is asked for, all else goes through the tunnel', async () => {
    const client = await connectTunnel({ localNetwork: true });
    expect(await sourceSeenBy(addresses.neighbour.ipv4)).toBe(addresses.userPrivate.ipv4);
    expect(await sourceSeenBy(`[${addresses.neighbour.ipv6}]`)).toBe(addresses.userPrivate.ipv6);
    expect(await sourceSeenBy(addresses.echo.ipv4)).toBe(addresses.gateway.ipv4);
    await client.call('disconnect', {});
  });

  test('never sees a name look-up', async () => {
    const capture = await net.lab.capture('port 53 or port 853');
    const query = ['bash', '-c', `printf 'query-of-names' >/dev/udp/${addresses.neighbour.ipv4}/53`];
    await net.lab.user.exec(query);
    expect(await capture.stop()).not.toEqual([]);
    await connectTunnel({ localNetwork: true });
    const quiet = await net.lab.capture('port 53 or port 853');
    for (const port of [53, 853]) {
      for (const protocol of ['udp', 'tcp']) {
        await net.lab.user.exec([
          'bash',
          '-c',
          `printf x >/dev/${protocol}/${addresses.neighbour.ipv4}/${port}`,
        ]);
      }
    }
    expect(await quiet.stop()).toEqual([]);
    // NetBIOS asks for what DNS does not know, everybody at once; multicast DNS for what is in `.local`.
    const others = await net.lab.capture('udp and (port 137 or port 5353)');
    const listeners = [addresses.neighbour.ipv4, '192.168.37.255'];
    for (const destination of listeners)
      for (const port of [137, 5353])
        await net.lab.user.run(
          [process.execPath, '-e', sendDatagram, '--', addresses.userPrivate.ipv4, destination].concat(
            String(port),
          ),
        );
    const asked = (await others.stop()).map(
      ({ destination, destinationPort }) => `${destination} ${destinationPort}`,
    );
    expect(new Set(asked)).toEqual(new Set(listeners.map((to) => `${to} 5353`)));
    expect(await net.lab.user.resolve(names.inside)).toContain(addresses.inside.ipv4);
  });

  test('is out of reach otherwise', async () => {
    expect(await sourceSeenBy(addresses.neighbour.ipv4)).toBe(addresses.userPrivate.ipv4);
    await connectTunnel();
    expect(await sourceSeenBy(addresses.neighbour.ipv4)).not.toBe(addresses.userPrivate.ipv4);
  });

  test('opens and closes while connected, as it is asked for', async () => {
    const client = await connectTunnel();
    for (const localNetwork of [true, false, true]) {
      await client.call('setRouting', { routing: { mode: 'global', localNetwork } });
      expect(client.states.at(-1)).toMatchObject({ state: 'connected', routing: { localNetwork } });
      for (const [host, own] of [
        [addresses.neighbour.ipv4, addresses.userPrivate.ipv4],
        [`[${addresses.neighbour.ipv6}]`, addresses.userPrivate.ipv6],
      ] as const) {
        if (localNetwork) expect(await sourceSeenBy(host)).toBe(own);
        else expect(await sourceSeenBy(host)).not.toBe(own);
      }
      expect(await sourceSeenBy(addresses.echo.ipv4)).toBe(addresses.gateway.ipv4);
    }
  });

  test('that is attached later stays reachable too', async () => {
    const { user } = net.lab;
    await connectTunnel({ localNetwork: true });
    await user.run(['ip', 'address', 'add', '10.200.0.5/24', 'dev', 'uplink']);
    await expect
      .poll(() => user.run(['nft', 'list', 'table', 'inet', 'waymaker']))
      .toContain('10.200.0.0/24');
  });
});

test('a port of the gateway’s host that is not the gateway’s goes through the tunnel, or nowhere', async () => {
  await connectTunnel();
  const capture = await net.lab.capture(`host ${addresses.gateway.ipv4} and not port 443`);
  await sourceSeenBy(addresses.gateway.ipv4);
  expect(await capture.stop()).toEqual([]);
});

test('a program that binds itself to the uplink does not get out', async () => {
  const send = [
    'curl',
    '--silent',
    ...curlLimits(),
    '--interface',
    'uplink',
    `http://${addresses.echo.ipv4}/x`,
  ];
  expect((await net.lab.user.exec(send)).code).toBe(0);
  await connectTunnel();
  expect((await net.lab.user.exec(send)).code).not.toBe(0);
});

test('forged packets to the tunnel’s address from the uplink are dropped', async () => {
  const client = await connectTunnel();
  const { addresses: own } = await client.until('connected');
  const { internet, user } = net.lab;
  await internet.run(['ip', 'route', 'add', `${own.ipv4}/32`, 'via', addresses.user.ipv4]);
  const answered = await internet.exec([
    'ping',
    '-c',
    '1',
    '-W',
    '1',
    '-I',
    addresses.router.ipv4,
    own.ipv4 ?? '',
  ]);
  expect(answered.code).not.toBe(0);
  const direct = await internet.exec(['ping', '-c', '1', '-W', '1', addresses.user.ipv4]);
  // Not even an answer to who asks the machine's own address leaves outside the tunnel.
  expect(direct.code).not.toBe(0);
  await client.call('disconnect', {});
  expect((await internet.exec(['ping', '-c', '1', '-W', '2', addresses.user.ipv4])).code).toBe(0);
  expect(await user.run(['nft', 'list', 'ruleset'])).toBe('');
});

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
        succeeds(['ping', '-c1', '-W2', address]).then((is) => (is ? [`ping ${address}`] : [])),
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
    global: { mode: 'global', localNetwork: false },
    pac: { mode: 'pac', routeDomains: [names.where], blockedDomains: [] },
    app: { mode: 'app', policy: 'include', localNetwork: false },
    ip: { mode: 'ip', policy: 'include', routeIps: [`${addresses.echo.ipv4}/32`], localNetwork: false },
  } as const satisfies Record<string, Routing>;

  test('reaches nothing in any mode, unless that is wanted; answers do', async () => {
    const { user } = net.lab;
    await user.spawnUntil([process.execPath, '-e', service], /ready/);
    await net.start();
    const client = await net.connect();
    const state = await client.until('connected');
    const { ipv4, ipv6 } = state.addresses;
    for (const routing of Object.values(modes)) {
      await client.call('setRouting', { routing });
      expect(await reached(state), routing.mode).toEqual([]);
    }

    const everything = [ipv4, ipv6].flatMap((address) => [`tcp ${address}`, `ping ${address}`]);
    everything.push(`udp ${ipv4}`, `udp ${ipv6}`);
    await client.call('setRouting', { routing: modes.global, allowIncoming: true });
    expect(await reached(state)).toEqual(everything);
    await client.call('setRouting', { routing: modes.ip });
    expect(await reached(state), 'it stays so in another mode').toEqual(everything);
    await client.call('setRouting', { routing: modes.global, allowIncoming: false });
    expect(await reached(state)).toEqual([]);

    expect(await user.probe.http4('x')).toMatchObject({ address: addresses.gateway.ipv4 });
    expect(await user.probe.http6('x')).toMatchObject({ address: addresses.gateway.ipv6 });
    expect(await user.resolve(names.inside)).toContain(addresses.inside.ipv4);
    expect((await user.exec(['ping', '-c1', '-W5', addresses.inside.ipv4])).code).toBe(0);
    await client.call('disconnect', {});

    const wanted = await net.connect({ allowIncoming: true });
    expect(await reached(await wanted.until('connected'))).toHaveLength(everything.length);
    await wanted.call('disconnect', {});
  });
});

test('an IPv4 tunnel over IPv6 uses the gateway’s IPv6 address', async () => {
  await net[Symbol.asyncDispose]();
  net = await createHelperLab({ gatewayFamilies: 'dual-stack' });
  await net.start();
  const client = await net.attach();
  const session = await net.signIn();
  await client.call('connect', net.request({ session, address: addresses.gateway.ipv6 }));
  await client.until('connected');
  expect(await sourceSeenBy(addresses.echo.ipv4)).toBe(addresses.gateway.ipv4);
  const outside = await net.lab.user.run(['ss', '-Hnt', 'dst', `[${addresses.gateway.ipv6}]`]);
  expect(outside).toContain(addresses.gateway.ipv6);
});

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
  expect(await sourceSeenBy(addresses.echo.ipv4)).toBe(addresses.gateway.ipv4);
  expect(await client.call('snapshot', {})).toMatchObject({ state: 'connected', transport: 'tls' });
});
