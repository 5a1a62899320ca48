import koffi from 'koffi';
import { nexthopOf, routeProtocol, tunnelDevice } from '../identifiers.ts';
import { netlinkDump, netlinkReplace } from '../netlink/netlink.ts';
import { attribute, findNumber, uint32 } from '../netlink/netlink-message.ts';
import { addressBytes, type Family, type PackedPrefixes } from '../../network/prefix-list.ts';
import {
  isInTable,
  lengthAt,
  protocolAt,
  RTA_DST,
  RTA_NH_ID,
  RTA_OIF,
  RTA_PRIORITY,
  RTA_TABLE,
  RTM_NEWROUTE,
  routeHeader,
  routeHeaderOf,
  routesOf,
  routeTypes,
  scopeAt,
  typeAt,
} from '../netlink/route-message.ts';

/**
 * Routes to captured prefixes: each has one route that refuses it, so that it goes nowhere without a tunnel, and with a
 * higher priority one into the tunnel; what is excluded is looked up in other tables. Set by netlink, because ip(8)
 * takes 400 MB for a hundred thousand at once.
 */

/** Constants of <linux/rtnetlink.h>. */
const RT_SCOPE_UNIVERSE = 0;
const RT_SCOPE_LINK = 253;
/**
 * The type that the kernel reports for a route with a nexthop without a device, although it acts by the type that was
 * set.
 */
const RTN_BLACKHOLE = 6;

export type Kind = keyof typeof routeTypes;
const allKinds = Object.keys(routeTypes) as Kind[];

/** After the header, which has the prefix's length: the attribute with its address. */
const destinationAt = routeHeader + 4;
const lastResortMetric = 4294967295;

let findIndex: ((device: string) => unknown) | undefined;

/** 0 if there is no such device. */
function indexOf(device: string): number {
  findIndex ??= koffi.load(null).func('uint32_t if_nametoindex(const char *)');
  return Number(findIndex(device));
}

export interface PrefixTable {
  family: Family;
  table: number;
  /**
   * Whether its routes, except those into the tunnel, share a nexthop. Only for IPv4: in IPv6, the nexthop's own type
   * would apply.
   */
  hasNexthop: boolean;
}

/** Adds routes of a kind; false if they need a device that does not exist. */
export async function addRoutes(
  { family, table, hasNexthop }: PrefixTable,
  kind: Kind,
  { addresses, lengths }: PackedPrefixes,
): Promise<boolean> {
  const device = kind === 'through' ? indexOf(tunnelDevice) : undefined;
  if (device === 0) return false;
  const size = addressBytes[family];
  const header = routeHeaderOf(family);
  header[protocolAt] = routeProtocol;
  header[scopeAt] = RT_SCOPE_UNIVERSE;
  header[typeAt] = routeTypes[kind];
  const payload = Buffer.concat([
    header,
    attribute(RTA_DST, Buffer.alloc(size)),
    attribute(RTA_TABLE, uint32(table)),
    ...(device === undefined ? [] : [attribute(RTA_OIF, uint32(device))]),
    ...(kind !== 'through' && hasNexthop ? [attribute(RTA_NH_ID, uint32(nexthopOf(table)))] : []),
    ...(kind === 'refuse' ? [attribute(RTA_PRIORITY, uint32(lastResortMetric))] : []),
  ]);
  const isScoped = kind === 'through' && family === 4;
  await netlinkReplace('route', {
    length: lengths.length,
    template: { type: RTM_NEWROUTE, payload },
    write(target, at, index) {
      const length = lengths[index] ?? 0;
      target[at + lengthAt] = length;
      // As in the route to everything (`tunnelRoute`): no router should be found through a default route of ours.
      if (isScoped && length > 0) target[at + scopeAt] = RT_SCOPE_LINK;
      addresses.copy(target, at + destinationAt, index * size, (index + 1) * size);
    },
  });
  return true;
}

/** How many routes of each kind a table has; `isEnough`: whether counting can stop. */
export async function countRoutes(
  { family, table }: PrefixTable,
  isEnough: (found: Readonly<Record<Kind, number>>) => boolean,
): Promise<Record<Kind, number>> {
  const found: Record<Kind, number> = { through: 0, refuse: 0, except: 0 };
  await netlinkDump('route', routesOf(family, table), ({ payload }) => {
    const kind = kindOf(payload, table);
    if (kind) found[kind] += 1;
    return isEnough(found);
  });
  return found;
}

/** The kind of one of our routes. */
function kindOf(payload: Buffer, table: number): Kind | undefined {
  if (payload[protocolAt] !== routeProtocol || !isInTable(payload, table)) return undefined;
  const type = payload[typeAt];
  if (type === RTN_BLACKHOLE)
    return findNumber(payload, routeHeader, RTA_PRIORITY) === lastResortMetric ? 'refuse' : 'except';
  return allKinds.find((kind) => routeTypes[kind] === type);
}
