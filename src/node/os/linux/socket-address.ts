import { isIP, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

/** AF_INET and AF_INET6 of <linux/socket.h>, the same on all supported processors. */
const addressFamily = { ipv4: 2, ipv6: 10 } as const;

export const addressFamilyOf = (address: string): number =>
  isIPv6(address) ? addressFamily.ipv6 : addressFamily.ipv4;

/**
 * `struct sockaddr_in` or `struct sockaddr_in6` (ip(7), ipv6(7)), as calls of libc take it: the family in this machine's
 * byte order, the port in big-endian, and in IPv6 the address after the flow label. A zone, as in `fe80::1%eth0`, is left
 * out. Throws if `address` is none.
 */
export function socketAddress(address: string, port = 0): Buffer {
  if (isIP(address) === 0) throw new Error('not an address');
  const isSix = isIPv6(address);
  const bytes = Buffer.alloc(isSix ? 28 : 16);
  bytes.writeUInt16LE(addressFamilyOf(address), 0);
  bytes.writeUInt16BE(port, 2);
  bytes.set(ipaddr.parse(address).toByteArray(), isSix ? 8 : 4);
  return bytes;
}
