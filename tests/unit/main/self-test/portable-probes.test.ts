import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { etherType, ipv4Packet, protocol, readPacket } from '../../../../src/main/self-test/packets/frame.ts';
import { portableProbes } from '../../../../src/main/self-test/portable/portable-probes.ts';
import { watchRaw } from '../../../../src/main/self-test/windows/raw-watch.ts';
import { eventually } from '../../../lab/runs/process.ts';

/** What macOS and Windows send and see in a self-test, as far as it is the same on every system. */

const ownAddress = () => `127.78.${randomInt(256)}.${randomInt(1, 255)}`;

const probesFrom = (ipv4: string, pingEnds = 0) =>
  portableProbes({
    addresses: { ipv4, ipv6: undefined },
    ping: () => [process.execPath, ['--eval', `process.exit(${pingEnds})`]],
  });

test('datagrams and connections arrive, and bound ones have the uplink’s address', async () => {
  const [host, uplink] = [ownAddress(), ownAddress()];
  const froms: string[] = [];
  const receiver = createSocket('udp4');
  receiver.on('message', (text, { address }) => froms.push(`UDP ${text.toString()} from ${address}`));
  receiver.bind(0, host);
  await once(receiver, 'listening');
  const server = createServer((socket) => {
    froms.push(`TCP from ${socket.remoteAddress}`);
    socket.destroy();
  });
  server.listen(0, host);
  await once(server, 'listening');
  onTestFinished(() => {
    receiver.close();
    server.close();
  });
  const { port } = server.address() as { port: number };
  const probes = probesFrom(uplink);
  const sent = [false, true].flatMap((isBound) => [
    probes.datagrams({ host, port: receiver.address().port, isBound, bytes: Buffer.from('token') }),
    probes.connections({ host, port, isBound }),
  ]);
  for (const probe of sent) expect(probe.send()).toBe(true);
  await eventually('all have come', () => (froms.length === 4 ? true : undefined));
  expect(froms.filter((from) => from.endsWith(uplink)).toSorted()).toEqual([
    `TCP from ${uplink}`,
    `UDP token from ${uplink}`,
  ]);
  for (const probe of sent) probe.close();
});

test('what is refused, or has nobody to go to, is no error', async () => {
  const probes = probesFrom('192.0.2.1');
  // An address that this machine does not have.
  const bound = probes.datagrams({ host: ownAddress(), port: 9, isBound: true, bytes: Buffer.from('x') });
  const refused = probes.connections({ host: ownAddress(), port: 9, isBound: false });
  expect([bound.send(), refused.send()]).toEqual([true, true]);
  await new Promise((resolve) => setImmediate(resolve));
  bound.close();
  refused.close();
});

test('a ping is answered if the system’s own program says so', async () => {
  for (const [ends, isAnswered] of [
    [0, true],
    [1, false],
  ] as const) {
    const ping = probesFrom(ownAddress(), ends).pings({ host: '127.0.0.1', token: 'x', isBound: false });
    ping.send();
    if (isAnswered) await eventually('it is answered', () => (ping.isAnswered() ? true : undefined));
    else await new Promise((resolve) => setTimeout(resolve, 0));
    expect(ping.isAnswered()).toBe(isAnswered);
    ping.close();
  }
  const { isIn } = probesFrom(ownAddress()).pings({ host: '192.0.2.1', token: 'x', isBound: false });
  const packet = (payload: string) =>
    readPacket(
      ipv4Packet(
        { source: '192.0.2.2', destination: '192.0.2.1', kind: protocol.icmp },
        Buffer.from(payload, 'hex'),
      ),
    )!;
  expect([isIn(packet('0800000000000000')), isIn(packet('0000000000000000'))]).toEqual([true, false]);
});

test('a raw socket shows both directions, of which what is sent by this computer counts', async () => {
  const [own, tunnel, host] = ['192.0.2.2', '198.18.0.10', '203.0.113.80'];
  const packet = (source: string, destination: string) =>
    ipv4Packet({ source, destination, kind: protocol.udp }, Buffer.alloc(8));
  const shown = [
    packet(own, host),
    packet(host, own),
    packet(tunnel, host),
    packet(own, tunnel),
    Buffer.from('no packet'),
  ];
  let isClosed = false;
  const watch = watchRaw(
    { next: () => shown.shift(), close: () => (isClosed = true) },
    () => new Set([own, tunnel]),
  );
  const { frames, complete } = await watch.sent();
  expect(complete).toBe(true);
  expect(frames.map(({ type, packet: found }) => [type, found?.source, found?.destination])).toEqual([
    [etherType.ipv4, own, host],
    [etherType.ipv4, tunnel, host],
  ]);
  expect((await watch.sent()).frames).toEqual([]);
  watch.close();
  expect(isClosed).toBe(true);
});
