import type { Filter, FilterCondition, FilterLayer } from '../../../../../helper/windows/calls/filtering.ts';
import type { Luid, Route } from '../../../../../helper/windows/calls/ip-helper.ts';
import type { FilterState } from './filter-engine.ts';
import { isInside, numberOf } from './addresses.ts';
import type { IpTables } from './ip-tables.ts';

/** The first packet of a flow, of which the filter is asked. */
export interface Packet {
  way: 'connect' | 'accept';
  remote: string;
  protocol: number;
  localPort: number;
  remotePort: number;
  program: { file: string; sid: string };
  /** The interface or the address to which its program has bound the socket, or over which it has come in. */
  boundTo?: { luid: Luid } | { address: string };
}

/** Which way a packet takes. `outside`: over an interface that is not the tunnel's. */
export type Outcome = 'within' | 'tunnel' | 'outside' | 'refused' | 'no-route';

const familyOf = (text: string): 4 | 6 => (text.includes(':') ? 6 : 4);

export function outcomeOf(
  packet: Packet,
  system: {
    ip: IpTables;
    filters: FilterState;
    inForce: (filter: Filter) => boolean;
    tunnel: Luid | undefined;
  },
): Outcome {
  const { ip, tunnel } = system;
  const isWithin = ip.addresses.some(({ address }) => address === packet.remote);
  const way = isWithin ? within(ip, packet) : wayOf(packet, ip);
  if (!way) return 'no-route';
  if (isRefused(packet, way, isWithin, system)) return 'refused';
  if (isWithin) return 'within';
  return way.luid === tunnel ? 'tunnel' : 'outside';
}

interface Way {
  luid: Luid;
  source: string;
}

function within({ interfaces }: IpTables, { remote }: Packet): Way | undefined {
  const loopback = interfaces.find(({ isLoopback }) => isLoopback);
  return loopback && { luid: loopback.luid, source: remote };
}

/**
 * By the longest prefix, then the lowest sum of metrics; a socket that is bound to an address has only the routes of
 * its interface (strong host model). What comes in has come over its interface, whatever the routes are.
 */
function wayOf({ way, remote, boundTo }: Packet, ip: IpTables): Way | undefined {
  const family = familyOf(remote);
  const bound =
    boundTo === undefined
      ? undefined
      : 'luid' in boundTo
        ? boundTo.luid
        : ip.addresses.find(({ address }) => address === boundTo.address)?.luid;
  if (boundTo && bound === undefined) return undefined;
  const costs = new Map(
    ip.ipInterfaces
      .filter((one) => one.family === family && one.isConnected)
      .map((one) => [one.luid, one.metric] as const),
  );
  const isFollowed = ({ luid, prefix }: Route) =>
    costs.has(luid) &&
    !(
      prefix.endsWith('/0') &&
      ip.ipInterfaces.some((one) => one.luid === luid && one.family === family && one.ignoresDefaultRoutes)
    );
  const rank = (route: Route) => [
    -Number(route.prefix.split('/')[1]),
    route.metric + (costs.get(route.luid) ?? 0),
  ];
  const ownOf = (luid: Luid) =>
    ip.addresses.find((one) => one.luid === luid && familyOf(one.address) === family);
  if (way === 'accept' && bound !== undefined) {
    const source = ownOf(bound)?.address;
    return source === undefined ? undefined : { luid: bound, source };
  }
  const [best] = ip.routes
    .filter((route) => isFollowed(route) && (bound === undefined || route.luid === bound))
    .filter((route) => isInside(remote, route.prefix))
    .toSorted((one, other) => {
      const [[length = 0, cost = 0], [otherLength = 0, otherCost = 0]] = [rank(one), rank(other)];
      return length - otherLength || cost - otherCost;
    });
  if (!best) return undefined;
  const source = boundTo && 'address' in boundTo ? boundTo.address : ownOf(best.luid)?.address;
  return source === undefined ? undefined : { luid: best.luid, source };
}

/**
 * Each sublayer says what its matching filter with the highest weight says. A final decision of a sublayer stands; a
 * permission that is not final can be taken away by a later sublayer, and a refusal that is not final by a final
 * permission (Microsoft, “Filter Arbitration”).
 */
function isRefused(
  packet: Packet,
  way: Way,
  isWithin: boolean,
  { filters, inForce }: { filters: FilterState; inForce: (filter: Filter) => boolean },
): boolean {
  const layer: FilterLayer = `${packet.way}-${familyOf(packet.remote)}`;
  const ordered = [...filters.sublayers.values()].toSorted((one, other) => other.weight - one.weight);
  let isBlocked = false;
  const asked = [...filters.filters.values()].filter(
    (filter) =>
      filter.layer === layer && inForce(filter) && matches(filter.conditions, packet, way, isWithin),
  );
  for (const { key } of ordered) {
    const matching = asked.filter(({ sublayer }) => sublayer === key);
    const highest = Math.max(...matching.map(({ weight }) => weight));
    const deciding = matching.filter(({ weight }) => weight === highest);
    const [decision] = deciding;
    if (!decision) continue;
    if (deciding.some(({ action }) => action !== decision.action))
      throw new Error(
        `filters of the same weight contradict each other: ${deciding.map(({ name }) => name).join()}`,
      );
    if (decision.action === 'block') isBlocked = true;
    else if (decision.isFinal) isBlocked = false;
    if (decision.isFinal) return isBlocked;
  }
  return isBlocked;
}

/** Fields of which Windows has one for several of ours. */
const places: Partial<Record<FilterCondition['field'], string>> = {
  'remote-prefix': 'remote',
  'remote-range': 'remote',
  'icmp-type': 'local-port',
};
const placeOf = ({ field }: FilterCondition): string => places[field] ?? field;

/** The same conditions are asked about for every packet. */
const grouped = new WeakMap<readonly FilterCondition[], FilterCondition[][]>();

function matches(
  conditions: readonly FilterCondition[],
  packet: Packet,
  way: Way,
  isWithin: boolean,
): boolean {
  let all = grouped.get(conditions);
  if (!all) {
    all = [...Map.groupBy(conditions, placeOf).values()];
    grouped.set(conditions, all);
  }
  return all.every((alternatives) =>
    alternatives.some((condition) => holds(condition, packet, way, isWithin)),
  );
}

function holds(condition: FilterCondition, packet: Packet, way: Way, isWithin: boolean): boolean {
  switch (condition.field) {
    case 'loopback':
      return isWithin;
    case 'interface':
      return way.luid === condition.luid;
    case 'local-address':
      return way.source === condition.address;
    case 'remote-prefix':
      return isInside(packet.remote, condition.prefix);
    case 'remote-range':
      return (
        numberOf(packet.remote) >= numberOf(condition.first) &&
        numberOf(packet.remote) <= numberOf(condition.last)
      );
    case 'protocol':
      return packet.protocol === condition.protocol;
    case 'local-port':
      return packet.localPort === condition.port;
    case 'icmp-type':
      return packet.localPort === condition.type;
    case 'remote-port':
      return packet.remotePort === condition.port;
    case 'program':
      return packet.program.file === condition.file;
    case 'user':
      return packet.program.sid === condition.sid;
    default:
      return condition satisfies never;
  }
}
