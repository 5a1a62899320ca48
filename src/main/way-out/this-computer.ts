import { BlockList, isIPv6 } from 'node:net';

/** Loopback, and the unspecified addresses, which lead there (RFC 1122 §3.2.1.3); mapped to IPv6, too. */
const thisComputer = new BlockList();
thisComputer.addSubnet('127.0.0.0', 8);
thisComputer.addSubnet('0.0.0.0', 8);
thisComputer.addAddress('::1', 'ipv6');
thisComputer.addAddress('::', 'ipv6');

/** Whether this address leads to this computer from anywhere. */
export const isOfThisComputer = (address: string): boolean =>
  thisComputer.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
