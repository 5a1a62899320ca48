import { randomBytes } from 'node:crypto';
import { internetChecksum } from '#node/network/internet-checksum.ts';
import type { Family } from './traffic-probe.ts';

/** RFC 792 and RFC 4443 §4.1: the type of an echo request, whose code is 0. */
const echoRequest = { ipv4: 8, ipv6: 128 } as const;
const tokenAt = 8;
const tokenBytes = 8;

/**
 * An echo request of this many bytes, without the header of IP, and whether something is its reply, which is as large.
 * Some systems give a socket the replies to others' requests, too, and of IPv4 with the header of IP (macOS, icmp(4));
 * so the request has a token. Some compute the checksum, and others leave it to the program; that of IPv6 is always the
 * system's (RFC 3542 §3.1).
 */
export function createEcho(
  family: Family,
  bytes: number,
): { message: Buffer; isAnswer: (received: Buffer) => boolean } {
  const message = Buffer.alloc(bytes);
  message.writeUInt8(echoRequest[family], 0);
  const token = randomBytes(tokenBytes);
  token.copy(message, tokenAt);
  if (family === 'ipv4') message.writeUInt16BE(internetChecksum(message), 2);
  return { message, isAnswer: (received) => received.length >= bytes && received.includes(token) };
}
