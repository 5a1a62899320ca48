import { randomInt } from 'node:crypto';
import { internetChecksum } from '#node/network/internet-checksum.ts';
import { ipv4Packet, ipv6Packet, protocol, pseudoHeader, type Packet } from '../packets/frame.ts';

/** Of RFC 9293 §3.1. */
const flag = { fin: 0x01, syn: 0x02, rst: 0x04, psh: 0x08, ack: 0x10 } as const;
const headerBytes = 20;
/** The option by which the other end learns what fits (RFC 9293 §3.2): for any tunnel with IPv6's smallest packets. */
const largestSegment = 1_220;
/** Nobody asks with more characters. */
const maxLine = 1_024;
/** Older connections are forgotten: nobody of a self-test waits for them any more. */
const maxConnections = 512;

interface Segment {
  sequence: number;
  acknowledged: number;
  flags: number;
  data: Buffer;
}

interface Connection {
  /** What our first byte is counted by, and the next one that is expected. */
  first: number;
  expected: number;
  line: string;
  answer: Buffer | undefined;
}

/**
 * The end of TCP connections that answers one line each, and closes, in packets instead of sockets: as much of RFC 9293
 * as such an answer takes. It has no timers: the other end repeats what was lost, and so does this. `answer` says what
 * a line is answered with, or undefined where nobody listens.
 */
export function createTcpAnswers(options: {
  answer: (line: string, packet: Packet) => string | undefined;
  isListening: (packet: Packet) => boolean;
  send: (packet: Buffer) => void;
}): { receive(packet: Packet): void } {
  const connections = new Map<string, Connection>();

  function reply(
    packet: Packet,
    flags: number,
    numbers: { sequence: number; acknowledged: number },
    data?: Buffer,
  ) {
    options.send(segmentTo(packet, { flags, ...numbers, data: data ?? Buffer.alloc(0) }));
  }

  function accept(packet: Packet, { sequence }: Segment): void {
    const key = keyOf(packet);
    const known = connections.get(key);
    const connection: Connection =
      known?.expected === next(sequence, 1)
        ? known
        : { first: randomInt(2 ** 32), expected: next(sequence, 1), line: '', answer: undefined };
    connections.delete(key);
    connections.set(key, connection);
    for (const oldest of connections.keys()) {
      if (connections.size <= maxConnections) break;
      connections.delete(oldest);
    }
    const { first, expected } = connection;
    reply(packet, flag.syn | flag.ack, { sequence: first, acknowledged: expected });
  }

  function take(packet: Packet, segment: Segment, connection: Connection): void {
    const { data, flags, sequence } = segment;
    const isNews = sequence === connection.expected;
    if (isNews) {
      connection.expected = next(sequence, data.length);
      connection.line += data.toString('latin1');
    }
    if (isNews && (flags & flag.fin) !== 0) connection.expected = next(connection.expected, 1);
    if (connection.line.includes('\n') && !connection.answer) {
      const text = options.answer(connection.line.trim(), packet) ?? '';
      connection.answer = Buffer.from(text);
    }
    if (connection.line.length > maxLine) {
      connections.delete(keyOf(packet));
      return refuse(packet, segment);
    }
    const { answer, expected } = connection;
    const start = next(connection.first, 1);
    const end = next(start, answer ? answer.length + 1 : 0);
    const isComplete = segment.acknowledged === end;
    // Also again, if it was lost: then the other end repeats itself.
    if (answer && !isComplete)
      reply(packet, flag.psh | flag.fin | flag.ack, { sequence: start, acknowledged: expected }, answer);
    else if (data.length > 0 || (flags & flag.fin) !== 0)
      reply(packet, flag.ack, { sequence: end, acknowledged: expected });
  }

  function refuse(packet: Packet, { flags, sequence, acknowledged, data }: Segment): void {
    if ((flags & flag.ack) !== 0) return reply(packet, flag.rst, { sequence: acknowledged, acknowledged: 0 });
    const length = data.length + ((flags & flag.syn) !== 0 ? 1 : 0);
    reply(packet, flag.rst | flag.ack, { sequence: 0, acknowledged: next(sequence, length) });
  }

  return {
    receive(packet) {
      const segment = readSegment(packet.payload);
      if (!segment) return;
      const connection = connections.get(keyOf(packet));
      if ((segment.flags & flag.rst) !== 0) connections.delete(keyOf(packet));
      else if (!options.isListening(packet)) refuse(packet, segment);
      else if ((segment.flags & flag.syn) !== 0) accept(packet, segment);
      else if (connection) take(packet, segment, connection);
      else refuse(packet, segment);
    },
  };
}

const next = (sequence: number, count: number): number => (sequence + count) % 2 ** 32;

const keyOf = ({ source, sourcePort, destination, destinationPort }: Packet): string =>
  [source, sourcePort, destination, destinationPort].join(' ');

function readSegment(bytes: Buffer): Segment | undefined {
  if (bytes.length < headerBytes) return undefined;
  return {
    sequence: bytes.readUInt32BE(4),
    acknowledged: bytes.readUInt32BE(8),
    flags: bytes.readUInt8(13),
    data: bytes.subarray((bytes.readUInt8(12) >> 4) * 4),
  };
}

/** An answer to `packet`, from where that was sent to. */
function segmentTo(packet: Packet, { sequence, acknowledged, flags, data }: Segment): Buffer {
  const options =
    (flags & flag.syn) !== 0
      ? Buffer.from([2, 4, largestSegment >> 8, largestSegment & 0xff])
      : Buffer.alloc(0);
  const head = Buffer.alloc(headerBytes);
  head.writeUInt16BE(packet.destinationPort, 0);
  head.writeUInt16BE(packet.sourcePort, 2);
  head.writeUInt32BE(sequence, 4);
  head.writeUInt32BE(acknowledged, 8);
  head[12] = ((headerBytes + options.length) / 4) << 4;
  head[13] = flags;
  head.writeUInt16BE(0xffff, 14);
  const segment = Buffer.concat([head, options, data]);
  const { destination: source, source: destination } = packet;
  const pseudo = pseudoHeader(source, destination, protocol.tcp, segment.length);
  segment.writeUInt16BE(internetChecksum(pseudo, segment), 16);
  const make = source.includes(':') ? ipv6Packet : ipv4Packet;
  return make({ source, destination, kind: protocol.tcp }, segment);
}
