import { setTimeout as delay } from 'node:timers/promises';
import { internetChecksum } from '#node/network/internet-checksum.ts';
import type { AddressPair } from '../addresses.ts';
import {
  etherType,
  ipv4Bytes,
  ipv4Packet,
  ipv6Bytes,
  ipv6Packet,
  ipv6Text,
  makeFrame,
  protocol,
  pseudoHeader,
  type Frame,
} from '../packets/frame.ts';
import type { PacketSocket } from './packet-socket.ts';

/** What a neighbour sends to find out whether the computer has an address, and the answer by which it would know. */
export interface NeighbourProbe {
  readonly name: string;
  readonly frame: Buffer;
  readonly isAnswer: (frame: Frame) => boolean;
}

interface Ends {
  /** Hardware addresses of the computer and of the neighbour. */
  computer: string;
  neighbour: string;
  /** The neighbour's addresses on the same network; without IPv6, only that is asked for. */
  from: { ipv4: string; ipv6: string | undefined };
}

const broadcast = 'ffffffffffff';
const operation = { request: 1, reply: 2 } as const;
const echo = { v4: { request: 8, reply: 0 }, v6: { request: 128, reply: 129 } } as const;
const neighbourSolicitation = 135;
const neighbourAdvertisement = 136;
const identifier = 0x574d;
/** Nobody listens there: a computer that has the address refuses the connection, and so gives itself away. */
const closedPort = 9;

/** Whether the computer answers for `pair`, which are addresses of its own. */
export function neighbourProbes(pair: AddressPair, { computer, neighbour, from }: Ends): NeighbourProbe[] {
  const { ipv4, ipv6 } = pair;
  const from6 = from.ipv6;
  const toComputer = (type: number, content: Buffer, to = computer) =>
    makeFrame({ from: neighbour, to, type }, content);
  const isFrom = (source: string, kind: number) => (frame: Frame) =>
    frame.packet?.source === source && frame.packet.protocol === kind;
  return [
    {
      name: `ARP for ${ipv4}`,
      frame: toComputer(etherType.arp, arpRequest(neighbour, from.ipv4, ipv4), broadcast),
      isAnswer: ({ type, content }) =>
        type === etherType.arp &&
        content.readUInt16BE(6) === operation.reply &&
        content.subarray(14, 18).equals(ipv4Bytes(ipv4)),
    },
    {
      name: `ping to ${ipv4} from the local network`,
      frame: toComputer(
        etherType.ipv4,
        ipv4Packet(
          { source: from.ipv4, destination: ipv4, kind: protocol.icmp },
          echoRequest(echo.v4.request),
        ),
      ),
      isAnswer: isFrom(ipv4, protocol.icmp),
    },
    {
      name: `TCP to ${ipv4} from the local network`,
      frame: toComputer(
        etherType.ipv4,
        ipv4Packet(
          { source: from.ipv4, destination: ipv4, kind: protocol.tcp },
          firstSegment(from.ipv4, ipv4),
        ),
      ),
      isAnswer: isFrom(ipv4, protocol.tcp),
    },
    ...(from6 !== undefined
      ? [
          {
            name: `neighbour solicitation for ${ipv6}`,
            frame: toComputer(
              etherType.ipv6,
              icmpv6(from6, solicitedNode(ipv6), 255, solicitation(ipv6, neighbour)),
              `3333ff${ipv6Bytes(ipv6).toString('hex', 13)}`,
            ),
            isAnswer: ({ packet }: Frame) =>
              packet?.protocol === protocol.icmpv6 &&
              packet.payload[0] === neighbourAdvertisement &&
              packet.payload.subarray(8, 24).equals(ipv6Bytes(ipv6)),
          },
          {
            name: `ping to ${ipv6} from the local network`,
            frame: toComputer(etherType.ipv6, icmpv6(from6, ipv6, 64, echoRequest(echo.v6.request))),
            isAnswer: ({ packet }: Frame) => packet?.source === ipv6 && packet.payload[0] === echo.v6.reply,
          },
          {
            name: `TCP to ${ipv6} from the local network`,
            frame: toComputer(
              etherType.ipv6,
              ipv6Packet({ source: from6, destination: ipv6, kind: protocol.tcp }, firstSegment(from6, ipv6)),
            ),
            isAnswer: isFrom(ipv6, protocol.tcp),
          },
        ]
      : []),
  ];
}

/** Sends all of them for a moment. */
export async function sendToComputer(socket: PacketSocket, probes: readonly NeighbourProbe[]): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    for (const { frame } of probes) socket.send(frame);
    await delay(roundMs);
  }
}

const rounds = 4;
const roundMs = 60;

/** RFC 826. */
function arpRequest(hardware: string, source: string, target: string): Buffer {
  const head = Buffer.from('0001080006040001', 'hex');
  return Buffer.concat([
    head,
    Buffer.from(hardware, 'hex'),
    ipv4Bytes(source),
    Buffer.alloc(6),
    ipv4Bytes(target),
    // Up to the smallest frame.
    Buffer.alloc(18),
  ]);
}

/** With its checksum as IPv4 has it; of IPv6, `icmpv6` replaces it. */
function echoRequest(type: number): Buffer {
  const message = Buffer.alloc(16);
  message[0] = type;
  message.writeUInt16BE(identifier, 4);
  message.writeUInt16BE(internetChecksum(message), 2);
  return message;
}

function icmpv6(source: string, destination: string, hopLimit: number, message: Buffer): Buffer {
  message.writeUInt16BE(0, 2);
  const pseudo = pseudoHeader(source, destination, protocol.icmpv6, message.length);
  message.writeUInt16BE(internetChecksum(pseudo, message), 2);
  return ipv6Packet({ source, destination, kind: protocol.icmpv6, hopLimit }, message);
}

/** RFC 4861 §4.3. */
function solicitation(target: string, hardware: string): Buffer {
  const head = Buffer.alloc(8);
  head[0] = neighbourSolicitation;
  return Buffer.concat([head, ipv6Bytes(target), Buffer.from([1, 1]), Buffer.from(hardware, 'hex')]);
}

/** RFC 4291 §2.7.1. */
function solicitedNode(address: string): string {
  const bytes = ipv6Bytes('ff02::1:ff00:0');
  ipv6Bytes(address).copy(bytes, 13, 13);
  return ipv6Text(bytes);
}

/** The first segment of a connection (RFC 9293 §3.1). */
function firstSegment(source: string, destination: string): Buffer {
  const segment = Buffer.alloc(20);
  segment.writeUInt16BE(identifier, 0);
  segment.writeUInt16BE(closedPort, 2);
  segment.writeUInt32BE(identifier, 4);
  segment[12] = 0x50;
  // SYN.
  segment[13] = 0x02;
  segment.writeUInt16BE(0xffff, 14);
  const pseudo = pseudoHeader(source, destination, protocol.tcp, segment.length);
  segment.writeUInt16BE(internetChecksum(pseudo, segment), 16);
  return segment;
}
