import { isIPv6 } from 'node:net';
import { constants } from './darwin.ts';
import { CallFailed, type Libc } from './libc.ts';
import { encodeAddress } from './socket-address.ts';

/**
 * The descriptor of a socket that sends ICMP echo requests from one of this machine's addresses, for which the system
 * wants no privileges (icmp(4), “Non-privileged ICMP”); undefined where it refuses, or no longer has the address. It
 * also gets the replies to others' requests, and those of IPv4 with the header of IP.
 */
export function openEchoSocket(libc: Libc, own: string): number | undefined {
  const [domain, protocol] = isIPv6(own)
    ? [constants.AF_INET6, constants.IPPROTO_ICMPV6]
    : [constants.AF_INET, constants.IPPROTO_ICMP];
  let descriptor: number | undefined;
  try {
    descriptor = libc.socket(domain, constants.SOCK_DGRAM, protocol);
    libc.closeOnExec(descriptor);
    libc.setNonBlocking(descriptor);
    libc.bind(descriptor, encodeAddress(own));
    return descriptor;
  } catch (error) {
    if (descriptor !== undefined) libc.close(descriptor);
    if (error instanceof CallFailed) return undefined;
    throw error;
  }
}
