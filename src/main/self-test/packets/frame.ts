/** Frames of Ethernet with IP in them: as much of RFC 894, RFC 791, RFC 8200 and RFC 826 as a self-test looks at. */

import ipaddr from 'ipaddr.js';
import { internetChecksum } from '#node/network/internet-checksum.ts';

export const etherType = { ipv4: 0x0800, arp: 0x0806, ipv6: 0x86dd, sentinel: 0x88b5 } as const;
export const protocol = { icmp: 1, tcp: 6, udp: 17, icmpv6: 58 } as const;

export interface Frame {
  /** Hardware addresses, as hexadecimal digits. */
  from: string;
  to: string;
  type: number;
  /** Of IP only. */
  packet: Packet | undefined;
  content: Buffer;
}

export interface Packet {
  source: string;
  destination: string;
  protocol: number;
  /** 0 where there are none. */
  sourcePort: number;
  destinationPort: number;
  /** What follows the IP header. */
  payload: Buffer;
}

const headerBytes = 14;

export function readFrame(bytes: Buffer): Frame | undefined {
  if (bytes.length < headerBytes) return undefined;
  const type = bytes.readUInt16BE(12);
  const content = bytes.subarray(headerBytes);
  const packet =
    type === etherType.ipv4 ? readIpv4(content) : type === etherType.ipv6 ? readIpv6(content) : undefined;
  return {
    to: bytes.toString('hex', 0, 6),
    from: bytes.toString('hex', 6, 12),
    type,
    packet,
    content,
  };
}

/** A packet as a tunnel carries it, without a frame around it. */
export const readPacket = (bytes: Buffer): Packet | undefined => {
  const version = (bytes[0] ?? 0) >> 4;
  if (version === 4) return readIpv4(bytes);
  return version === 6 ? readIpv6(bytes) : undefined;
};

function readIpv4(bytes: Buffer): Packet | undefined {
  if (bytes.length < 20) return undefined;
  const length = (bytes.readUInt8(0) & 0x0f) * 4;
  const isFirst = (bytes.readUInt16BE(6) & 0x1fff) === 0;
  return {
    source: [...bytes.subarray(12, 16)].join('.'),
    destination: [...bytes.subarray(16, 20)].join('.'),
    protocol: bytes.readUInt8(9),
    ...portsOf(bytes.subarray(length), bytes.readUInt8(9), isFirst),
    payload: bytes.subarray(length, Math.max(length, bytes.readUInt16BE(2))),
  };
}

const optionHeaders = new Set([0, 43, 60]);
const fragmentHeader = 44;

function readIpv6(bytes: Buffer): Packet | undefined {
  if (bytes.length < 40) return undefined;
  let next = bytes.readUInt8(6);
  let at = 40;
  let isFirst = true;
  while ((optionHeaders.has(next) || next === fragmentHeader) && bytes.length >= at + 8) {
    if (next === fragmentHeader) isFirst = (bytes.readUInt16BE(at + 2) & 0xfff8) === 0;
    const length = next === fragmentHeader ? 8 : (bytes.readUInt8(at + 1) + 1) * 8;
    next = bytes.readUInt8(at);
    at += length;
  }
  return {
    source: ipv6Text(bytes.subarray(8, 24)),
    destination: ipv6Text(bytes.subarray(24, 40)),
    protocol: next,
    ...portsOf(bytes.subarray(at), next, isFirst),
    payload: bytes.subarray(at),
  };
}

function portsOf(payload: Buffer, kind: number, isFirst: boolean) {
  const hasPorts = isFirst && (kind === protocol.tcp || kind === protocol.udp) && payload.length >= 4;
  return {
    sourcePort: hasPorts ? payload.readUInt16BE(0) : 0,
    destinationPort: hasPorts ? payload.readUInt16BE(2) : 0,
  };
}

/** In the notation of RFC 5952. */
export const ipv6Text = (bytes: Buffer): string => new ipaddr.IPv6([...bytes]).toRFC5952String();

export const ipv6Bytes = (address: string): Buffer => Buffer.from(ipaddr.IPv6.parse(address).toByteArray());

export const ipv4Bytes = (address: string): Buffer => Buffer.from(address.split('.').map(Number));

const hex = (text: string) => Buffer.from(text, 'hex');

export function makeFrame(header: { from: string; to: string; type: number }, content: Buffer): Buffer {
  const type = Buffer.alloc(2);
  type.writeUInt16BE(header.type, 0);
  return Buffer.concat([hex(header.to), hex(header.from), type, content]);
}

export function ipv4Packet(
  { source, destination, kind }: { source: string; destination: string; kind: number },
  payload: Buffer,
): Buffer {
  const head = Buffer.alloc(20);
  head[0] = 0x45;
  head.writeUInt16BE(20 + payload.length, 2);
  head[8] = 64;
  head[9] = kind;
  ipv4Bytes(source).copy(head, 12);
  ipv4Bytes(destination).copy(head, 16);
  head.writeUInt16BE(internetChecksum(head), 10);
  return Buffer.concat([head, payload]);
}

export function ipv6Packet(
  {
    source,
    destination,
    kind,
    hopLimit = 64,
  }: { source: string; destination: string; kind: number; hopLimit?: number },
  payload: Buffer,
): Buffer {
  const head = Buffer.alloc(40);
  head[0] = 0x60;
  head.writeUInt16BE(payload.length, 4);
  head[6] = kind;
  head[7] = hopLimit;
  ipv6Bytes(source).copy(head, 8);
  ipv6Bytes(destination).copy(head, 24);
  return Buffer.concat([head, payload]);
}

/** What the checksums of TCP and ICMPv6 also cover (RFC 9293 §3.1, RFC 8200 §8.1). */
export function pseudoHeader(source: string, destination: string, kind: number, length: number): Buffer {
  const isV6 = source.includes(':');
  const address = isV6 ? ipv6Bytes : ipv4Bytes;
  const rest = Buffer.alloc(isV6 ? 8 : 4);
  if (isV6) {
    rest.writeUInt32BE(length, 0);
    rest[7] = kind;
  } else {
    rest[1] = kind;
    rest.writeUInt16BE(length, 2);
  }
  return Buffer.concat([address(source), address(destination), rest]);
}
