import ipaddr from 'ipaddr.js';
import { routeProtocol, routingTable, rulePriority, tunnelDevice } from '../identifiers.ts';
import { errorNumbers, NetlinkError, netlinkDump, netlinkRequest } from './netlink.ts';
import {
  attribute,
  findAttribute,
  findNumber,
  zeroTerminated,
  type NetlinkMessage,
} from './netlink-message.ts';
import type { Family } from '../../network/prefix-list.ts';
import {
  isInTable,
  lengthAt,
  protocolAt,
  RTA_OIF,
  routeHeader,
  routeHeaderOf,
  routesOf,
  routeTypes,
  typeAt,
} from './route-message.ts';

/** Our state in the kernel. Without this, each check would start seven programs. */

/** Constants of <linux/rtnetlink.h>, <linux/fib_rules.h>, <linux/if_link.h>, <linux/if_addr.h> and <linux/if.h>. */
const RTM_GETLINK = 18;
const RTM_GETADDR = 22;
const RTM_GETRULE = 34;
const FRA_PRIORITY = 6;
const FRA_PROTOCOL = 21;
const FIB_RULE_INVERT = 2;
const FR_ACT_TO_TBL = 1;
const RT_TABLE_LOCAL = 255;
/**
 * What restricts a rule to some packets: FRA_IIFNAME, FRA_FWMARK, FRA_OIFNAME, FRA_UID_RANGE, and protocol and ports.
 */
const someOnly = [3, 10, 17, 20, 22, 23, 24];
const IFLA_IFNAME = 3;
const IFLA_MTU = 4;
const IFA_ADDRESS = 1;
const IFA_LOCAL = 2;
const IFF_UP = 1;

/** Sizes of `struct ifinfomsg` and `struct ifaddrmsg`, and offsets in them and in `struct fib_rule_hdr`. */
const sourceLengthAt = 2;
const tableAt = 4;
const actionAt = 7;
const ruleFlagsAt = 8;
const linkHeader = 16;
const linkIndexAt = 4;
const linkFlagsAt = 8;
const addressHeader = 8;
const addressIndexAt = 4;

/** Our routing rules, as `ip rule show` lists them, and what of others' matters to them. */
export async function readRules(family: Family): Promise<{ ours: NetlinkMessage[]; isLocalFirst: boolean }> {
  const rules = await netlinkDump('route', { type: RTM_GETRULE, payload: routeHeaderOf(family) });
  return { ours: rules.filter(isOurs), isLocalFirst: isLocalFirst(rules) };
}

export const ourRules = async (family: Family): Promise<NetlinkMessage[]> => (await readRules(family)).ours;

const isOurs = ({ payload }: NetlinkMessage) =>
  findAttribute(payload, routeHeader, FRA_PROTOCOL)?.[0] === routeProtocol;

/**
 * Whether a rule of others has everything looked up in the table of this machine's own addresses before our rules, as
 * the kernel's does. With VRFs, it is moved behind theirs (Linux, Documentation/networking/vrf.rst).
 */
export const isLocalFirst = (rules: readonly NetlinkMessage[]): boolean =>
  rules.some((rule) => {
    const { payload } = rule;
    const isOfSome =
      payload[lengthAt] !== 0 ||
      payload[sourceLengthAt] !== 0 ||
      (payload.readUInt32LE(ruleFlagsAt) & FIB_RULE_INVERT) !== 0 ||
      someOnly.some((kind) => findAttribute(payload, routeHeader, kind) !== undefined);
    // A priority of 0 is not listed.
    const priority = findNumber(payload, routeHeader, FRA_PRIORITY) ?? 0;
    const isToLocal = payload[actionAt] === FR_ACT_TO_TBL && payload[tableAt] === RT_TABLE_LOCAL;
    return isToLocal && !isOfSome && !isOurs(rule) && priority < rulePriority.local;
  });

/** Whether the tunnel's table routes everything into the device, and refuses everything otherwise. */
export async function readTunnelTable(family: Family): Promise<{ leads: boolean; refuses: boolean }> {
  const found = { leads: false, refuses: false };
  const device = (await readTunnelDevice())?.index;
  await netlinkDump('route', routesOf(family, routingTable), (route) => {
    if (!isInTable(route.payload, routingTable)) return;
    if (route.payload[protocolAt] !== routeProtocol || route.payload[lengthAt] !== 0) return;
    const type = route.payload[typeAt];
    if (type === routeTypes.refuse) found.refuses = true;
    if (type === routeTypes.through && findNumber(route.payload, routeHeader, RTA_OIF) === device)
      found.leads = device !== undefined;
  });
  return found;
}

/** The tunnel's device; undefined if it does not exist. */
export async function readTunnelDevice(): Promise<{ index: number; isUp: boolean; mtu: number } | undefined> {
  const payload = Buffer.concat([
    Buffer.alloc(linkHeader),
    attribute(IFLA_IFNAME, zeroTerminated(tunnelDevice)),
  ]);
  const link = await readLink(payload);
  return (
    link && {
      index: link.readUInt32LE(linkIndexAt),
      isUp: (link.readUInt32LE(linkFlagsAt) & IFF_UP) !== 0,
      mtu: findNumber(link, linkHeader, IFLA_MTU) ?? 0,
    }
  );
}

/** The name of a device, and its MTU; undefined if it is gone. */
export async function readDevice(
  index: number,
): Promise<{ name: string; mtu: number | undefined } | undefined> {
  const payload = Buffer.alloc(linkHeader);
  payload.writeInt32LE(index, linkIndexAt);
  const link = await readLink(payload);
  const name = link && findAttribute(link, linkHeader, IFLA_IFNAME)?.subarray(0, -1).toString();
  return link && name !== undefined ? { name, mtu: findNumber(link, linkHeader, IFLA_MTU) } : undefined;
}

/** What the kernel tells of a device; undefined if there is none. */
async function readLink(payload: Buffer): Promise<Buffer | undefined> {
  try {
    return (await netlinkRequest('route', { type: RTM_GETLINK, payload })).payload;
  } catch (error) {
    if (error instanceof NetlinkError && error.errno === errorNumbers.ENODEV) return undefined;
    throw error;
  }
}

/** Whether a device has all of these addresses. */
export async function hasAddresses(index: number, addresses: readonly string[]): Promise<boolean> {
  const payload = Buffer.alloc(addressHeader);
  payload.writeUInt32LE(index, addressIndexAt);
  const found: Buffer[] = [];
  await netlinkDump('route', { type: RTM_GETADDR, payload }, (message) => {
    if (message.payload.readUInt32LE(addressIndexAt) !== index) return;
    const own =
      findAttribute(message.payload, addressHeader, IFA_LOCAL) ??
      findAttribute(message.payload, addressHeader, IFA_ADDRESS);
    if (own) found.push(Buffer.from(own));
  });
  return addresses.every((address) => {
    const wanted = Buffer.from(ipaddr.parse(address).toByteArray());
    return found.some((own) => own.equals(wanted));
  });
}
