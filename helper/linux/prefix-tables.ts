import { createHash } from 'node:crypto';
import koffi from 'koffi';
import type { CapturedPrefixes } from '../modes/split.ts';
import { prefixTables, routeProtocol, tunnelDevice } from './identifiers.ts';
import { netlinkDump, netlinkReplace } from './netlink.ts';
import { attribute, findAttribute, uint32, type NetlinkMessage } from './netlink-message.ts';
import { removeRoutes } from './netlink-routes.ts';
import type { NetworkMonitor } from './network-monitor.ts';
import { firstAddress, isOfFamily, type Family } from './prefix-ranges.ts';

/**
 * Two tables of routes to captured prefixes: one is filled while rules lead to the other. In each, what is captured has
 * a route that refuses it, so that it goes nowhere without a tunnel, and one into the tunnel before that; what is excluded
 * is looked up elsewhere. By netlink, since ip(8) takes 400 MB for a hundred thousand at once.
 */
export interface PrefixTables {
  /** The table that has these, or else one that no rule leads to yet. */
  tableFor(family: Family, prefixes: CapturedPrefixes): number;
  /** Has it have these and nothing else. */
  fill(family: Family, prefixes: CapturedPrefixes, table: number): Promise<void>;
  /** Empties all tables but this one. */
  keep(family: Family, table: number | undefined): Promise<void>;
  /** Whether it refuses what it should, and excludes what it should. */
  isFilled(family: Family, table: number): Promise<boolean>;
  /** Nothing is known any more of what the tables have. */
  forget(): void;
  /** The tunnel's device has addresses of these IP versions: what is captured is led into it, now and later. */
  lead(families: readonly Family[]): Promise<void>;
  /** Whether it is led there. */
  leads(): Promise<boolean>;
  /** The device is gone, and with it the routes that lead there. */
  deviceGone(): void;
}

/** Of <linux/rtnetlink.h>. */
const RTM_NEWROUTE = 24;
const RTM_GETROUTE = 26;
const RTA_DST = 1;
const RTA_OIF = 4;
const RTA_PRIORITY = 6;
const RTA_TABLE = 15;
const RT_SCOPE_UNIVERSE = 0;
const RT_SCOPE_LINK = 253;
/** Types of routes: into the tunnel, `unreachable` and `throw` of ip-route(8). */
const kinds = { through: 1, refuse: 7, except: 9 } as const;
type Kind = keyof typeof kinds;

const addressFamilies = { 4: 2, 6: 10 } as const;
const routeHeader = 12;
const lengthAt = 1;
const protocolAt = 5;
const scopeAt = 6;
const typeAt = 7;
const lastResortMetric = 4294967295;

/** As many routes are counted whenever somebody looks; of more only the first part, unless some were removed. */
const maxCounted = 20_000;

const findIndex = koffi.load(null).func('uint32_t if_nametoindex(const char *)');

interface Content {
  id: string;
  routes: Record<Exclude<Kind, 'through'>, string[]>;
  /** Whether the device has been given routes to them. */
  leads: boolean;
  /** Whether they were counted since any were removed. */
  isCounted: boolean;
}

export function createPrefixTables(monitor: Pick<NetworkMonitor, 'onRemoval'>): PrefixTables {
  const contents = { 4: new Map<number, Content>(), 6: new Map<number, Content>() };
  /** Tables of which nobody knows what they have: an earlier helper may have filled them. */
  const unknown = { 4: new Set<number>(prefixTables), 6: new Set<number>(prefixTables) };
  let led = new Set<Family>();
  monitor.onRemoval(() => {
    for (const content of [...contents[4].values(), ...contents[6].values()]) content.isCounted = false;
  });

  async function empty(family: Family, table: number): Promise<void> {
    if (!contents[family].has(table) && !unknown[family].has(table)) return;
    contents[family].delete(table);
    unknown[family].add(table);
    await removeRoutes(family, table);
    unknown[family].delete(table);
  }

  async function leadInto(family: Family, table: number, content: Content): Promise<void> {
    const device = Number(findIndex(tunnelDevice));
    if (device === 0) return;
    await netlinkReplace('route', content.routes.refuse, routeIn(family, table, 'through', device));
    content.leads = true;
    content.isCounted = false;
  }

  /** Whether the table has as many of each kind as expected. */
  async function has(
    family: Family,
    table: number,
    content: Content,
    wanted: readonly Kind[],
  ): Promise<boolean> {
    const expected = { ...counts(content), through: content.routes.refuse.length };
    const total = wanted.reduce((sum, kind) => sum + expected[kind], 0);
    const isWhole = total <= maxCounted || !content.isCounted;
    const found: Record<Kind, number> = { through: 0, refuse: 0, except: 0 };
    await netlinkDump('route', dumpRequest(family, table), ({ payload }) => {
      const kind = kindOf(payload, table);
      if (kind) found[kind] += 1;
      return !isWhole && wanted.every((one) => expected[one] === 0 || found[one] > 0);
    });
    return wanted.every((kind) =>
      isWhole ? found[kind] === expected[kind] : expected[kind] === 0 || found[kind] > 0,
    );
  }

  return {
    tableFor(family, prefixes) {
      const id = idOf(prefixes);
      const [first = 0, second = 0] = prefixTables;
      for (const table of prefixTables) if (contents[family].get(table)?.id === id) return table;
      return contents[family].has(first) ? second : first;
    },
    async fill(family, prefixes, table) {
      const id = idOf(prefixes);
      let content = contents[family].get(table);
      if (content?.id !== id) {
        await empty(family, table);
        const [include, exclude] = [prefixes.include, prefixes.exclude].map((all) =>
          all.filter(isOfFamily(family)),
        );
        content = {
          id,
          routes: { refuse: include ?? [], except: exclude ?? [] },
          leads: false,
          isCounted: false,
        };
        unknown[family].add(table);
        await netlinkReplace('route', content.routes.except, routeIn(family, table, 'except'));
        await netlinkReplace('route', content.routes.refuse, routeIn(family, table, 'refuse'));
        contents[family].set(table, content);
        unknown[family].delete(table);
      }
      if (led.has(family) && !content.leads) await leadInto(family, table, content);
    },
    async keep(family, table) {
      for (const other of prefixTables) if (other !== table) await empty(family, other);
    },
    async isFilled(family, table) {
      const content = contents[family].get(table);
      if (!content) return false;
      const isWhole = await has(family, table, content, ['refuse', 'except']);
      if (isWhole && !led.has(family)) content.isCounted = true;
      return isWhole;
    },
    forget() {
      for (const family of [4, 6] as const) {
        contents[family].clear();
        for (const table of prefixTables) unknown[family].add(table);
      }
    },
    async lead(families) {
      led = new Set(families);
      for (const family of families)
        for (const [table, content] of contents[family]) await leadInto(family, table, content);
    },
    async leads() {
      for (const family of led) {
        for (const [table, content] of contents[family]) {
          if (!(await has(family, table, content, ['through', 'refuse', 'except']))) return false;
          content.isCounted = true;
        }
      }
      return true;
    },
    deviceGone() {
      led = new Set();
      for (const content of [...contents[4].values(), ...contents[6].values()]) content.leads = false;
    },
  };
}

const counts = ({ routes }: Content) => ({ refuse: routes.refuse.length, except: routes.except.length });

/** What kind of ours a route is; kernels before 4.20 tell of every table. */
function kindOf(payload: Buffer, table: number): Kind | undefined {
  if (payload[protocolAt] !== routeProtocol) return undefined;
  if (findAttribute(payload, routeHeader, RTA_TABLE)?.readUInt32LE() !== table) return undefined;
  return (Object.keys(kinds) as Kind[]).find((kind) => kinds[kind] === payload[typeAt]);
}

function dumpRequest(family: Family, table: number): NetlinkMessage {
  const header = Buffer.alloc(routeHeader);
  header[0] = addressFamilies[family];
  return { type: RTM_GETROUTE, payload: Buffer.concat([header, attribute(RTA_TABLE, uint32(table))]) };
}

/** Makes requests for routes to prefixes. */
function routeIn(
  family: Family,
  table: number,
  kind: Kind,
  device?: number,
): (prefix: string) => NetlinkMessage {
  const rest = Buffer.concat([
    attribute(RTA_TABLE, uint32(table)),
    ...(device === undefined ? [] : [attribute(RTA_OIF, uint32(device))]),
    ...(kind === 'refuse' ? [attribute(RTA_PRIORITY, uint32(lastResortMetric))] : []),
  ]);
  return (prefix) => {
    const length = Number(prefix.slice(prefix.indexOf('/') + 1));
    const header = Buffer.alloc(routeHeader);
    header[0] = addressFamilies[family];
    header[lengthAt] = length;
    header[protocolAt] = routeProtocol;
    // As with the route to everything (`tunnelRoute`): no router is to be found by a default route of ours.
    header[scopeAt] = kind === 'through' && family === 4 && length > 0 ? RT_SCOPE_LINK : RT_SCOPE_UNIVERSE;
    header[typeAt] = kinds[kind];
    const destination = length === 0 ? [] : [attribute(RTA_DST, firstAddress(prefix, family))];
    return { type: RTM_NEWROUTE, payload: Buffer.concat([header, ...destination, rest]) };
  };
}

const digests = new WeakMap<readonly string[], string>();

/** Lists are told apart by what is in them, and nobody compares a hundred thousand prefixes twice. */
function idOf({ include, exclude }: CapturedPrefixes): string {
  return `${digestOf(include)} ${digestOf(exclude)}`;
}

export function digestOf(list: readonly string[]): string {
  let digest = digests.get(list);
  if (digest === undefined) {
    digest = createHash('sha256').update(list.join('\n')).digest('hex');
    digests.set(list, digest);
  }
  return digest;
}
