import koffi from 'koffi';
import { nexthopOf, routeProtocol, tunnelDevice } from './identifiers.ts';
import { netlinkDump, netlinkReplace } from './netlink.ts';
import { attribute, findNumber, uint32, type NetlinkMessage } from './netlink-message.ts';
import { addressBytes, packPrefixes, type Family } from './prefix-ranges.ts';

/**
 * Routes to captured prefixes: each has one that refuses it, so that it goes nowhere without a tunnel, and one into the
 * tunnel before that; what is excluded is looked up elsewhere. By netlink, since ip(8) takes 400 MB for a hundred thousand
 * at once.
 */

/** Of <linux/rtnetlink.h>. */
const RTM_NEWROUTE = 24;
const RTM_GETROUTE = 26;
const RTA_DST = 1;
const RTA_OIF = 4;
const RTA_PRIORITY = 6;
const RTA_TABLE = 15;
const RTA_NH_ID = 30;
const RT_SCOPE_UNIVERSE = 0;
const RT_SCOPE_LINK = 253;
/** Types of routes: into the tunnel, `unreachable` and `throw` of ip-route(8). */
const kinds = { through: 1, refuse: 7, except: 9 } as const;
export type Kind = keyof typeof kinds;
const allKinds = Object.keys(kinds) as Kind[];
/** What the kernel says of a route that has a nexthop without a device, though it goes by the type that it was given. */
const RTN_BLACKHOLE = 6;

const addressFamilies = { 4: 2, 6: 10 } as const;
const routeHeader = 12;
const lengthAt = 1;
const protocolAt = 5;
const scopeAt = 6;
const typeAt = 7;
/** Behind the header, which has the prefix's length: the attribute with its address. */
const destinationAt = routeHeader + 4;
const lastResortMetric = 4294967295;

const findIndex = koffi.load(null).func('uint32_t if_nametoindex(const char *)');

export interface PrefixTable {
  family: Family;
  table: number;
  /** Whether its routes have a nexthop in common, but for those into the tunnel. Of IPv4 only: in IPv6 its type would count. */
  hasNexthop: boolean;
}

/** Adds routes of a kind; false if they need a device that is not there. */
export async function addRoutes(
  { family, table, hasNexthop }: PrefixTable,
  kind: Kind,
  prefixes: readonly string[],
): Promise<boolean> {
  const device = kind === 'through' ? Number(findIndex(tunnelDevice)) : undefined;
  if (device === 0) return false;
  const { addresses, lengths } = packPrefixes(prefixes, family);
  const size = addressBytes[family];
  const header = Buffer.alloc(routeHeader);
  header[0] = addressFamilies[family];
  header[protocolAt] = routeProtocol;
  header[scopeAt] = RT_SCOPE_UNIVERSE;
  header[typeAt] = kinds[kind];
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
      // As with the route to everything (`tunnelRoute`): no router is to be found by a default route of ours.
      if (isScoped && length > 0) target[at + scopeAt] = RT_SCOPE_LINK;
      addresses.copy(target, at + destinationAt, index * size, (index + 1) * size);
    },
  });
  return true;
}

/** How many routes of each kind a table has; `isEnough`: whether the rest need not be counted. */
export async function countRoutes(
  { family, table }: PrefixTable,
  isEnough: (found: Readonly<Record<Kind, number>>) => boolean,
): Promise<Record<Kind, number>> {
  const found: Record<Kind, number> = { through: 0, refuse: 0, except: 0 };
  await netlinkDump('route', dumpRequest(family, table), ({ payload }) => {
    const kind = kindOf(payload, table);
    if (kind) found[kind] += 1;
    return isEnough(found);
  });
  return found;
}

/** What kind of ours a route is; kernels before 4.20 tell of every table. */
function kindOf(payload: Buffer, table: number): Kind | undefined {
  if (payload[protocolAt] !== routeProtocol) return undefined;
  if (findNumber(payload, routeHeader, RTA_TABLE) !== table) return undefined;
  const type = payload[typeAt];
  if (type === RTN_BLACKHOLE)
    return findNumber(payload, routeHeader, RTA_PRIORITY) === lastResortMetric ? 'refuse' : 'except';
  return allKinds.find((kind) => kinds[kind] === type);
}

function dumpRequest(family: Family, table: number): NetlinkMessage {
  const header = Buffer.alloc(routeHeader);
  header[0] = addressFamilies[family];
  return { type: RTM_GETROUTE, payload: Buffer.concat([header, attribute(RTA_TABLE, uint32(table))]) };
}
