import { bytesOfIpv6 } from './frame.ts';

const icmpv6 = 58;
const headerLength = 40;
/** Receivers require the maximum for router advertisements and similar messages (RFC 4861 §6.1.2). */
const hopLimit = 255;

/** An IPv6 packet, without a frame, with an ICMPv6 message; adds the message's checksum. */
export function icmpv6Packet(source: string, destination: string, message: Buffer): Buffer {
  const packet = Buffer.alloc(headerLength + message.length);
  packet.writeUInt8(0x60, 0);
  packet.writeUInt16BE(message.length, 4);
  packet.writeUInt8(icmpv6, 6);
  packet.writeUInt8(hopLimit, 7);
  bytesOfIpv6(source).copy(packet, 8);
  bytesOfIpv6(destination).copy(packet, 24);
  message.copy(packet, headerLength);
  packet.writeUInt16BE(0, headerLength + 2);
  packet.writeUInt16BE(checksum(packet), headerLength + 2);
  return packet;
}

/** RFC 8200 §8.1: over the addresses, the message's length, its protocol, and the message itself. */
function checksum(packet: Buffer): number {
  const message = packet.subarray(headerLength);
  const odd = message.length % 2 === 1 ? Buffer.alloc(1) : Buffer.alloc(0);
  const summed = Buffer.concat([packet.subarray(8, headerLength), message, odd]);
  let sum = message.length + icmpv6;
  for (let at = 0; at < summed.length; at += 2) sum += summed.readUInt16BE(at);
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16);
  return ~sum & 0xffff;
}
