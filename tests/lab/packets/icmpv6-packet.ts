import { internetChecksum } from '#node/network/internet-checksum.ts';
import { bytesOfIpv6 } from './frame.ts';

const [udp, icmpv6] = [17, 58];
const headerLength = 40;
/** Receivers require the maximum for router advertisements and similar messages (RFC 4861 §6.1.2). */
const hopLimit = 255;

/** An IPv6 packet, without a frame, with an ICMPv6 message; adds the message's checksum. */
export function icmpv6Packet(source: string, destination: string, message: Buffer): Buffer {
  return ipv6Packet(source, destination, { protocol: icmpv6, body: message, checksumAt: 2 });
}

/** An IPv6 packet, without a frame, with a UDP datagram that has these ports (RFC 768). */
export function udp6Packet(
  source: string,
  destination: string,
  ports: { source: number; destination: number },
  payload: Buffer,
): Buffer {
  const header = Buffer.alloc(8);
  header.writeUInt16BE(ports.source, 0);
  header.writeUInt16BE(ports.destination, 2);
  header.writeUInt16BE(header.length + payload.length, 4);
  const body = Buffer.concat([header, payload]);
  return ipv6Packet(source, destination, { protocol: udp, body, checksumAt: 6 });
}

function ipv6Packet(
  source: string,
  destination: string,
  { protocol, body, checksumAt }: { protocol: number; body: Buffer; checksumAt: number },
): Buffer {
  const packet = Buffer.alloc(headerLength + body.length);
  packet.writeUInt8(0x60, 0);
  packet.writeUInt16BE(body.length, 4);
  packet.writeUInt8(protocol, 6);
  packet.writeUInt8(hopLimit, 7);
  bytesOfIpv6(source).copy(packet, 8);
  bytesOfIpv6(destination).copy(packet, 24);
  body.copy(packet, headerLength);
  packet.writeUInt16BE(0, headerLength + checksumAt);
  packet.writeUInt16BE(checksum(packet, protocol), headerLength + checksumAt);
  return packet;
}

/** RFC 8200 §8.1: over the addresses, the length of what follows, its protocol, and what follows. */
function checksum(packet: Buffer, protocol: number): number {
  const message = packet.subarray(headerLength);
  const lengthAndProtocol = Buffer.alloc(8);
  lengthAndProtocol.writeUInt32BE(message.length, 0);
  lengthAndProtocol.writeUInt32BE(protocol, 4);
  return internetChecksum(packet.subarray(8, headerLength), lengthAndProtocol, message);
}
