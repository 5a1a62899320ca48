import { expect, test } from 'vitest';
import { internetChecksum } from '#node/network/internet-checksum.ts';
import { addresses, ports } from '../../../../src/main/self-test/addresses.ts';
import { createInsideNetwork } from '../../../../src/main/self-test/hosts/inside-network.ts';
import {
  ipv4Packet,
  ipv6Packet,
  protocol,
  pseudoHeader,
  readPacket,
  type Packet,
} from '../../../../src/main/self-test/packets/frame.ts';

/** What is behind the gateway of a self-test, packet by packet; that kernels talk with it is shown in tests/helper. */

const flag = { fin: 1, syn: 2, rst: 4, psh: 8, ack: 16 } as const;

function network() {
  const sent: Packet[] = [];
  const heard: string[] = [];
  const { receive } = createInsideNetwork({
    heard,
    onAsk: (question) => Promise.resolve(Buffer.from(`answer to ${question.toString()}`)),
    send(bytes) {
      const packet = readPacket(bytes);
      if (!packet) throw new Error('no packet');
      // Whoever receives it would drop it otherwise.
      const length = packet.payload.length;
      const pseudo = pseudoHeader(packet.source, packet.destination, packet.protocol, length);
      const isPlain = packet.protocol === protocol.icmp;
      expect(internetChecksum(...(isPlain ? [] : [pseudo]), packet.payload)).toBe(0);
      sent.push(packet);
    },
  });
  const next = () => {
    const packet = sent.shift();
    if (!packet) throw new Error('nothing was sent');
    return packet;
  };
  return { receive, heard, next, sent };
}

const from = (host: string) => (host.includes(':') ? addresses.tunnel.ipv6 : addresses.tunnel.ipv4);
const packetTo = (host: string, kind: number, payload: Buffer) =>
  (host.includes(':') ? ipv6Packet : ipv4Packet)({ source: from(host), destination: host, kind }, payload);

function segment(
  host: string,
  numbers: { port?: number; flags: number; sequence: number; ack?: number; text?: string },
) {
  const head = Buffer.alloc(20);
  head.writeUInt16BE(50_000, 0);
  head.writeUInt16BE(numbers.port ?? ports.http, 2);
  head.writeUInt32BE(numbers.sequence, 4);
  head.writeUInt32BE(numbers.ack ?? 0, 8);
  head[12] = 0x50;
  head[13] = numbers.flags;
  return packetTo(host, protocol.tcp, Buffer.concat([head, Buffer.from(numbers.text ?? '')]));
}

const read = ({ payload }: Packet) => ({
  sequence: payload.readUInt32BE(4),
  ack: payload.readUInt32BE(8),
  flags: payload.readUInt8(13),
  text: payload.subarray((payload.readUInt8(12) >> 4) * 4).toString(),
});

test.each(Object.values(addresses.host))(
  'TCP to %s: a line is answered by whom it comes from, and the end is agreed',
  (host) => {
    const { receive, next, heard, sent } = network();
    // Numbers that begin again at 0 on the way.
    const first = 2 ** 32 - 2;
    receive(segment(host, { flags: flag.syn, sequence: first }));
    const accepted = read(next());
    expect(accepted).toMatchObject({ flags: flag.syn | flag.ack, ack: 2 ** 32 - 1 });
    // In two segments; each is confirmed.
    const begin = { flags: flag.ack | flag.psh, ack: accepted.sequence + 1 };
    receive(segment(host, { ...begin, sequence: 2 ** 32 - 1, text: 'tok' }));
    expect(read(next())).toMatchObject({ flags: flag.ack, ack: 2 });
    const last = segment(host, { ...begin, sequence: 2, text: 'en\n' });
    receive(last);
    const answer = read(next());
    expect(answer).toMatchObject({
      flags: flag.psh | flag.fin | flag.ack,
      ack: 5,
      text: `inside ${from(host)}\n`,
    });
    expect(heard).toEqual(['token']);
    // Its answer was lost: it is sent again, and nothing is heard twice.
    receive(last);
    expect(read(next())).toEqual(answer);
    expect(heard).toEqual(['token']);
    const end = answer.sequence + answer.text.length + 1;
    receive(segment(host, { flags: flag.ack, sequence: 5, ack: end }));
    expect(sent).toEqual([]);
    receive(segment(host, { flags: flag.fin | flag.ack, sequence: 5, ack: end }));
    expect(read(next())).toMatchObject({ flags: flag.ack, sequence: end, ack: 6 });
  },
);

test('where nobody listens, a connection is refused', () => {
  const { receive, next } = network();
  for (const [host, port] of [
    [addresses.host.ipv4, 443],
    [addresses.resolver.ipv4, ports.http],
    ['192.0.2.99', ports.http],
  ] as const) {
    receive(segment(host, { port, flags: flag.syn, sequence: 7 }));
    expect(read(next())).toMatchObject({ flags: flag.rst | flag.ack, ack: 8 });
  }
  // Of a connection that nobody has begun.
  receive(segment(addresses.host.ipv4, { flags: flag.ack, sequence: 7, ack: 99, text: 'x' }));
  expect(read(next())).toMatchObject({ flags: flag.rst, sequence: 99 });
});

test('datagrams and pings are answered with what they contain, and questions of the self-test as well', async () => {
  const { receive, next, heard } = network();
  const datagram = (host: string, port: number, text: string) => {
    const head = Buffer.alloc(8);
    head.writeUInt16BE(50_000, 0);
    head.writeUInt16BE(port, 2);
    head.writeUInt16BE(8 + text.length, 4);
    receive(packetTo(host, protocol.udp, Buffer.concat([head, Buffer.from(text)])));
  };
  for (const host of Object.values(addresses.other)) {
    datagram(host, ports.echo, 'token');
    expect(next().payload.subarray(8).toString()).toBe('inside token');
    const isV6 = host.includes(':');
    const request = Buffer.from(`${isV6 ? '80' : '08'}00000057 4d000161626364`.replace(' ', ''), 'hex');
    receive(packetTo(host, isV6 ? protocol.icmpv6 : protocol.icmp, request));
    expect(next().payload).toMatchObject({ 0: isV6 ? 129 : 0 });
  }
  expect(heard).toEqual(['token', 'token']);
  datagram(addresses.tunnelEnd.ipv4, 44_350, 'x');
  await Promise.resolve();
  expect(next().payload.subarray(8).toString()).toBe('answer to x');
});

test('what is no packet, or for nobody, has no answer', () => {
  const { receive, sent } = network();
  for (const odd of ['', '00', '45', 'ff'.repeat(60), '45'.padEnd(40, '0'), '60'.padEnd(80, '0')])
    receive(Buffer.from(odd, 'hex'));
  receive(packetTo('192.0.2.99', protocol.icmp, Buffer.from('0800000000000000', 'hex')));
  receive(packetTo(addresses.host.ipv4, protocol.tcp, Buffer.alloc(3)));
  expect(sent).toEqual([]);
});
