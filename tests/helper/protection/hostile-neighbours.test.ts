import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { internetChecksum } from '#node/network/internet-checksum.ts';
import { addresses, ports } from '../../lab/network/addresses.ts';
import type { Machine } from '../../lab/machine/machine.ts';
import { setKernel } from '../../lab/network/network.ts';
import { isHardwareTold, routedToUser } from '../../lab/network/hardware-address.ts';
import { bytesOfIpv6 } from '../../lab/packets/frame.ts';
import { icmpv6Packet, udp6Packet } from '../../lab/packets/icmpv6-packet.ts';
import { sendOddPacket } from '../../lab/packets/odd-packet.ts';
import { endProcess, eventually, words } from '../../lab/runs/process.ts';
import type { TestClient } from '../support/callers/test-client.ts';
import { createHelperLab, type HelperLab } from '../support/helper-lab.ts';

/** What somebody on the local network could learn of a tunnel, or do to it (the class of CVE-2019-14899). */
let net: HelperLab;
let client: TestClient;

beforeAll(async () => {
  net = await createHelperLab();
  await net.start();
  client = await net.connect();
});

afterAll(() => net[Symbol.asyncDispose]());

test('with the local network open, nothing leaves for it from the tunnel’s address', async () => {
  const { user } = net.lab;
  const { neighbour, userPrivate } = addresses;
  /** To which neighbours a ping and a connection are seen to leave from these addresses. */
  const leftFrom = async ({ ipv4 = '', ipv6 = '' }: { ipv4?: string; ipv6?: string }) => {
    const capture = await net.lab.capture(`src host ${ipv4} or src host ${ipv6}`);
    for (const [from, to] of [
      [ipv4, neighbour.ipv4],
      [ipv6, neighbour.ipv6],
    ] as const) {
      await user.exec(words(`ping -c 1 -W 1 -I ${from} ${to}`));
      await user.exec(words(`curl -sg -m 1 --interface ${from} http://${inUrl(to)}/`));
    }
    const seen = (await capture.stop()).map(({ destination }) => destination);
    return Object.values(neighbour).filter((to) => seen.includes(to));
  };
  await client.call('setRouting', { routing: { mode: 'global', localNetwork: true } });
  const { addresses: own } = await client.until('connected');
  expect(await leftFrom(userPrivate)).toEqual(Object.values(neighbour));
  expect(await leftFrom(own)).toEqual([]);
  await client.call('setRouting', { routing: { mode: 'global', localNetwork: false } });
});

const inUrl = (address: string) => (address.includes(':') ? `[${address}]` : address);

/**
 * Of a connected UDP socket that has sent something until it was answered: says its port, then each error that it is
 * told.
 */
const flow = (host: string) => `
  const socket = require('node:dgram').createSocket('${host.includes(':') ? 'udp6' : 'udp4'}');
  socket.on('error', ({ code }) => console.log(code));
  let sending;
  const send = () => socket.send('x');
  socket.connect(${ports.echo}, '${host}', () => {
    sending = setInterval(send, 1000);
    send();
  });
  socket.once('message', () => {
    clearInterval(sending);
    console.log(socket.address().port);
  });
`;

interface Quoted {
  from: string;
  to: string;
  port: number;
}

function udpHeader({ port }: Quoted): Buffer {
  const header = Buffer.alloc(8);
  header.writeUInt16BE(port, 0);
  header.writeUInt16BE(ports.echo, 2);
  header.writeUInt16BE(9, 4);
  return header;
}

/** "Destination unreachable" about a datagram, RFC 792. */
function error4(quoted: Quoted, code: number): Buffer {
  const inner = Buffer.alloc(20);
  inner.writeUInt8(0x45, 0);
  inner.writeUInt16BE(29, 2);
  inner.writeUInt8(64, 8);
  inner.writeUInt8(17, 9);
  Buffer.from(quoted.from.split('.').map(Number)).copy(inner, 12);
  Buffer.from(quoted.to.split('.').map(Number)).copy(inner, 16);
  const message = Buffer.concat([Buffer.from([3, code, 0, 0, 0, 0, 0, 0]), inner, udpHeader(quoted)]);
  message.writeUInt16BE(internetChecksum(message), 2);
  return message;
}

/** The same, RFC 4443 §3.1; the kernel puts the checksum in. */
function error6(quoted: Quoted, code: number): Buffer {
  const inner = Buffer.alloc(40);
  inner.writeUInt8(0x60, 0);
  inner.writeUInt16BE(9, 4);
  inner.writeUInt8(17, 6);
  inner.writeUInt8(64, 7);
  bytesOfIpv6(quoted.from).copy(inner, 8);
  bytesOfIpv6(quoted.to).copy(inner, 24);
  return Buffer.concat([Buffer.from([1, code, 0, 0, 0, 0, 0, 0]), inner, udpHeader(quoted)]);
}

/** What a program is told of, with what it is told: that nobody has the port, and what a neighbour forges. */
const codes = {
  ipv4: { port: 3, forged: 2 },
  ipv6: { port: 4, forged: 1 },
} as const;

type Family = 'ipv4' | 'ipv6';

/** RFC 3542 §3: packets of this protocol have their header already. */
const ownHeader = 255;

/** The message from the router to this machine in two packets, of which the first one has nothing of what is quoted. */
const inFragments: Record<Family, (message: Buffer) => { destination: string; payload: string }[]> = {
  ipv4: (message) =>
    [message.subarray(0, 8), message.subarray(8)].map((part, index) => {
      const header = Buffer.alloc(20);
      header.writeUInt8(0x45, 0);
      header.writeUInt16BE(4_159, 4);
      // RFC 791 §3.1: more follow, and where this one begins, in units of 8 bytes.
      header.writeUInt16BE(index === 0 ? 0x2000 : 1, 6);
      header.writeUInt8(64, 8);
      header.writeUInt8(1, 9);
      Buffer.from(addresses.router.ipv4.split('.').map(Number)).copy(header, 12);
      Buffer.from(addresses.user.ipv4.split('.').map(Number)).copy(header, 16);
      const payload = Buffer.concat([header, part]).toString('hex');
      return { destination: addresses.user.ipv4, payload };
    }),
  ipv6(message) {
    const packet = icmpv6Packet(addresses.router.ipv6, addresses.user.ipv6, message);
    const whole = packet.subarray(40);
    return [whole.subarray(0, 8), whole.subarray(8)].map((part, index) => {
      const header = Buffer.from(packet.subarray(0, 40));
      // RFC 8200 §4.5: the protocol, where this one begins and whether more follow, and whose fragments they are.
      const fragment = Buffer.from([58, 0, 0, index === 0 ? 1 : 8, 0, 0, 16, 63]);
      header.writeUInt16BE(fragment.length + part.length, 4);
      header.writeUInt8(44, 6);
      const payload = Buffer.concat([header, fragment, part]).toString('hex');
      return { destination: addresses.user.ipv6, payload };
    });
  },
};

/** The tunnel's own address. */
function ownAddress(family: Family): string {
  const state = client.states.at(-1);
  const address = state?.state === 'connected' ? state.addresses[family] : undefined;
  if (address === undefined) throw new Error('there is no such address');
  return address;
}

/** They would learn which flows there are, by how they end, and could end them or slow them down. */
test.each(['ipv4', 'ipv6'] as const)(
  'an %s error about a flow in the tunnel reaches it through the tunnel alone',
  async (family) => {
    const { lab } = net;
    const from = ownAddress(family);
    const to = addresses.echo[family];
    const program = lab.user.spawn([process.execPath, '-e', flow(to)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const told: string[] = [];
    const lines = createInterface(program.stdout!);
    const [port] = (await once(lines, 'line')) as [string];
    lines.on('line', (line) => told.push(line));
    const quoted = { from, to, port: Number(port) };
    const error = family === 'ipv4' ? error4 : error6;
    const forged = error(quoted, codes[family].forged);
    const sendFrom = (machine: Machine, destination: string, code: number) =>
      sendOddPacket(machine, {
        destination,
        payload: error(quoted, code).toString('hex'),
        ...(family === 'ipv4' && { protocol: 1 }),
      });
    // The router is a neighbour, too. Where nobody looks at connections, nothing puts fragments together beforehand.
    for (const allowIncoming of [false, true]) {
      await client.call('setRouting', { routing: { mode: 'global', localNetwork: false }, allowIncoming });
      for (const destination of [addresses.user, addresses.userPrivate])
        expect(await sendFrom(lab.internet, destination[family], codes[family].forged)).toBe(true);
      for (const packet of inFragments[family](forged))
        expect(await sendOddPacket(lab.internet, { ...packet, protocol: ownHeader })).toBe(true);
    }
    // What comes through the tunnel comes later, and is believed.
    expect(await sendFrom(lab.gatewayMachine, from, codes[family].port)).toBe(true);
    await eventually('the program is told', () => told.includes('ECONNREFUSED') || undefined);
    expect(told).toEqual(['ECONNREFUSED']);
    await endProcess(program, 'SIGKILL');
  },
);

test('nobody on the link is told by ARP that this machine has the tunnel’s address', async () => {
  const { lab } = net;
  expect(await isHardwareTold(lab, ownAddress('ipv4'))).toBe(false);
  for (const { ipv4 } of [addresses.user, addresses.userPrivate])
    expect(await isHardwareTold(lab, ipv4)).toBe(true);
});

test('nobody on the link is told by neighbour discovery either, of which the machine is a proxy', async () => {
  const { lab } = net;
  const own = ownAddress('ipv6');
  const another = '2001:db8:2:100::77:77';
  await setProxy(true);
  for (const address of [own, another]) await lab.user.run(words(`ip neigh add proxy ${address} dev uplink`));
  expect(await isHardwareTold(lab, own)).toBe(false);
  for (const address of [another, addresses.user.ipv6]) expect(await isHardwareTold(lab, address)).toBe(true);
  for (const address of [own, another]) await lab.user.run(words(`ip neigh del proxy ${address} dev uplink`));
  await setProxy(false);
});

/** Whether the user's machine answers for others at once, like a router between two links. */
const setProxy = (on: boolean) =>
  setKernel(net.lab.user, [
    `net.ipv6.conf.uplink.forwarding=${Number(on)}`,
    `net.ipv6.conf.uplink.proxy_ndp=${Number(on)}`,
    'net.ipv6.neigh.uplink.proxy_delay=0',
  ]);

/** Listens at a port of every address; asks an echo on a signal until it answers; says from whom each datagram came. */
const listener = `
  const socket = require('node:dgram').createSocket('udp6');
  let asking;
  socket.on('message', (message, { address }) => {
    if (String(message) === 'echoed') clearInterval(asking);
    console.log(String(message), address);
  });
  socket.bind(${ports.discard}, () => console.log('listening'));
  const ask = () => socket.send('echoed', ${ports.echo}, '${addresses.inside.ipv6}');
  process.once('SIGUSR2', () => {
    asking = setInterval(ask, 1000);
    ask();
  });
`;

test('what a neighbour sends as if from this machine itself does not arrive at the tunnel’s address', async () => {
  const { lab } = net;
  const own = ownAddress('ipv6');
  const program = await lab.user.spawnUntil([process.execPath, '-e', listener], /listening/);
  const told: string[] = [];
  createInterface(program.stdout!).on('line', (line) => told.push(line));
  const hardware = (await lab.user.run(words('cat /sys/class/net/uplink/address'))).trim();
  const forge = (source: string, destination: string, payload: string) =>
    routedToUser(lab, destination, async () => {
      await lab.internet.run(words(`ip neigh replace ${destination} lladdr ${hardware} dev user0`));
      const datagram = udp6Packet(
        source,
        destination,
        { source: ports.discard, destination: ports.discard },
        Buffer.from(payload),
      );
      const packet = { destination, protocol: ownHeader, payload: datagram.toString('hex') };
      expect(await sendOddPacket(lab.internet, packet)).toBe(true);
    });
  for (const source of [addresses.user.ipv6, addresses.userPrivate.ipv6, own])
    await forge(source, own, 'forged');
  await forge(own, addresses.user.ipv6, 'forged');
  await forge(addresses.router.ipv6, addresses.user.ipv6, 'sent');
  program.kill('SIGUSR2');
  await eventually(
    'what comes through the tunnel arrives',
    () => told.some((line) => line.startsWith('echoed')) || undefined,
  );
  // The echo may answer more than once.
  expect([...new Set(told)]).toEqual([`sent ${addresses.router.ipv6}`, `echoed ${addresses.inside.ipv6}`]);
  await endProcess(program, 'SIGKILL');
});
