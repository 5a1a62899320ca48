import { attribute, findNumber, uint32 } from './netlink-message.ts';
import type { Family } from '../../network/prefix-list.ts';

/** What messages about routes and routing rules have in common. */

/** Constants of <linux/rtnetlink.h>. */
export const RTM_NEWROUTE = 24;
export const RTM_DELROUTE = 25;
export const RTM_GETROUTE = 26;
export const RTA_DST = 1;
export const RTA_OIF = 4;
export const RTA_GATEWAY = 5;
export const RTA_PRIORITY = 6;
export const RTA_PREFSRC = 7;
export const RTA_TABLE = 15;
export const RTA_VIA = 18;
export const RTA_UID = 25;
export const RTA_NH_ID = 30;

/** The size of `struct rtmsg`, which `struct fib_rule_hdr` shares, and offsets in it. */
export const routeHeader = 12;
export const lengthAt = 1;
export const protocolAt = 5;
export const scopeAt = 6;
export const typeAt = 7;

/** Types of routes: into a device, and `unreachable` and `throw` of ip-route(8). */
export const routeTypes = { through: 1, refuse: 7, except: 9 } as const;

/** AF_INET and AF_INET6. */
const addressFamilies = { 4: 2, 6: 10 } as const;

/** All zeros except for the family. */
export function routeHeaderOf(family: Family): Buffer {
  const header = Buffer.alloc(routeHeader);
  header[0] = addressFamilies[family];
  return header;
}

/** The request for the routes of a table. */
export const routesOf = (family: Family, table: number): { type: number; payload: Buffer } => ({
  type: RTM_GETROUTE,
  payload: Buffer.concat([routeHeaderOf(family), attribute(RTA_TABLE, uint32(table))]),
});

/** Kernels before 4.20 return every table, whichever was requested. */
export const isInTable = (route: Buffer, table: number): boolean =>
  findNumber(route, routeHeader, RTA_TABLE) === table;
