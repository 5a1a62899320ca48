import ipaddr from 'ipaddr.js';
import { attachedPrefix } from '../../network/sort-networks.ts';
import { tunnelDevice } from '../identifiers.ts';
import { isUnusedBridge } from './internal-devices.ts';
import { netlinkDump } from '../netlink/netlink.ts';
import { findAttribute } from '../netlink/netlink-message.ts';

/** Constants of <linux/rtnetlink.h>, <linux/if_link.h> and <linux/if_addr.h>. */
const RTM_GETLINK = 18;
const RTM_GETADDR = 22;
const IFLA_IFNAME = 3;
const IFA_ADDRESS = 1;
const IFA_LOCAL = 2;

/** Sizes of `struct ifinfomsg` and `struct ifaddrmsg`, and the offsets of a device's number in them. */
const linkHeader = 16;
const addressHeader = 8;
const indexAt = 4;
const prefixLengthAt = 1;

/**
 * The networks in which this machine has addresses, as prefixes, without the tunnel's. Of a bridge that nobody is in,
 * such as the one that Docker makes when it is installed, only the machine's own address counts. This does not use the
 * routing table's idea of attached networks, which neighbours control.
 */
export async function attachedNetworks(): Promise<string[]> {
  const [links, addresses] = await Promise.all([
    netlinkDump('route', { type: RTM_GETLINK, payload: Buffer.alloc(linkHeader) }),
    netlinkDump('route', { type: RTM_GETADDR, payload: Buffer.alloc(addressHeader) }),
  ]);
  const names = new Map(
    links.map(({ payload }) => {
      const name = findAttribute(payload, linkHeader, IFLA_IFNAME)?.toString() ?? '';
      return [payload.readUInt32LE(indexAt), name.replace(/\0$/, '')];
    }),
  );
  return addresses
    .map(({ payload }) => ({ payload, device: names.get(payload.readUInt32LE(indexAt)) ?? '' }))
    .filter(({ device }) => device !== tunnelDevice)
    .flatMap(({ payload, device }) => {
      // On a point-to-point link, the other attribute is the peer's address.
      const address =
        findAttribute(payload, addressHeader, IFA_LOCAL) ??
        findAttribute(payload, addressHeader, IFA_ADDRESS);
      if (!address) return [];
      const text = ipaddr.fromByteArray([...address]).toString();
      const length = isUnusedBridge(device) ? Infinity : payload.readUInt8(prefixLengthAt);
      return attachedPrefix(text, length);
    });
}
