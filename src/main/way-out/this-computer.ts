import { isIPv6 } from 'node:net';
import { blockListOf } from '#node/network/block-list.ts';

/** Loopback, and the unspecified addresses, which lead there (RFC 1122 §3.2.1.3); mapped to IPv6, too. */
const thisComputer = blockListOf(['127.0.0.0/8', '0.0.0.0/8', '::1/128', '::/128']);

/** Whether this address leads to this computer from anywhere. */
export const isOfThisComputer = (address: string): boolean =>
  thisComputer.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
