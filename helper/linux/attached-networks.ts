import { isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';
import { tunnelDevice } from './identifiers.ts';
import { shortestPrefix } from './nearby-networks.ts';
import { netlinkDump } from './netlink.ts';
import { findAttribute, zeroTerminated } from './netlink-message.ts';

/** Of <linux/rtnetlink.h>, <linux/if_link.h> and <linux/if_addr.h>. */
const RTM_GETLINK = 18;
const RTM_GETADDR = 22;
const IFLA_IFNAME = 3;
const IFA_ADDRESS = 1;
const IFA_LOCAL = 2;

/** Bytes of `struct ifinfomsg` and of `struct ifaddrmsg`, and where they have a device's number. */
const linkHeader = 16;
const addressHeader = 8;
const indexAt = 4;
const prefixLengthAt = 1;

/**
 * The networks that this machine has addresses in, as prefixes, but for the tunnel's. Not what the routing table calls
 * attached: that is what neighbours say it is.
 */
export async function attachedNetworks(): Promise<string[]> {
  const [links, addresses] = await Promise.all([
    netlinkDump('route', { type: RTM_GETLINK, payload: Buffer.alloc(linkHeader) }),
    netlinkDump('route', { type: RTM_GETADDR, payload: Buffer.alloc(addressHeader) }),
  ]);
  const ownName = zeroTerminated(tunnelDevice);
  const own = links
    .filter(({ payload }) => findAttribute(payload, linkHeader, IFLA_IFNAME)?.equals(ownName))
    .map(({ payload }) => payload.readUInt32LE(indexAt));
  return addresses
    .filter(({ payload }) => !own.includes(payload.readUInt32LE(indexAt)))
    .flatMap(({ payload }) => {
      // Of a point-to-point link the other is its peer's.
      const address =
        findAttribute(payload, addressHeader, IFA_LOCAL) ??
        findAttribute(payload, addressHeader, IFA_ADDRESS);
      if (!address) return [];
      return attachedPrefix(ipaddr.fromByteArray([...address]).toString(), payload.readUInt8(prefixLengthAt));
    });
}

/** A lease may say that half the internet is attached; then the machine has that address, and no network. */
function attachedPrefix(address: string, length: number): string {
  const [shortest, host] = isIPv6(address) ? [shortestPrefix.ipv6, 128] : [shortestPrefix.ipv4, 32];
  return `${address}/${length < shortest ? host : length}`;
}
