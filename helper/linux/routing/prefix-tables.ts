import type { CapturedPrefixes } from '../../modes/routing-plan.ts';
import type { RunCommand } from '../../posix/command.ts';
import { nexthopOf, prefixTables } from '../identifiers.ts';
import { addNexthop, hasNexthop, removeNexthop } from '../netlink/netlink-nexthops.ts';
import { removeRoutes } from '../netlink/netlink-routes.ts';
import type { NetworkMonitor } from './network-monitor.ts';
import type { Family, PackedPrefixes } from '../../network/prefix-list.ts';
import { addRoutes, countRoutes, type Kind, type PrefixTable } from './prefix-routes.ts';

/**
 * Two tables of routes to captured prefixes: one is filled while rules lead to the other. A table that no rule leads to
 * keeps its content until another list needs it, or the tunnel ends, so that going back to it is fast.
 */
export interface PrefixTables {
  /** The table that contains these prefixes, or else one that no rule leads to. */
  tableFor(family: Family, prefixes: CapturedPrefixes): number;
  /** Fills a table with exactly these prefixes. */
  fill(family: Family, prefixes: CapturedPrefixes, table: number): Promise<void>;
  /** From now on, rules lead to this table, or to none. */
  use(family: Family, table: number | undefined): void;
  /** Whether the table refuses and excludes everything that it should. */
  isFilled(family: Family, table: number): Promise<boolean>;
  /** Something may have removed routes: everything is counted before it is relied on again. */
  distrust(): void;
  /** Forgets what the tables contain. */
  forget(): void;
  /** The tunnel's device has addresses of these IP versions: routes captured packets into it, now and later. */
  lead(families: readonly Family[]): Promise<void>;
  /** Whether they are routed into it. */
  leads(): Promise<boolean>;
  /** The device is gone or was down, and its routes with it. */
  deviceLost(): void;
}

/** How many routes are counted in each check; of larger tables only the first ones, unless some were removed. */
const maxCounted = 20_000;
/** With more prefixes, routes share a nexthop, and no program prints them as they are added. */
const maxSingle = 1_000;

interface Content extends PrefixTable {
  id: string;
  routes: Record<Exclude<Kind, 'through'>, PackedPrefixes>;
  /** Whether the device has routes to them. */
  leads: boolean;
  /** Whether they were counted since something was last removed. */
  isCounted: boolean;
  /** A count in progress. */
  counting: Promise<Record<Kind, number>> | undefined;
}

export function createPrefixTables({
  run,
  monitor,
}: {
  run: RunCommand;
  monitor: Pick<NetworkMonitor, 'onRemoval' | 'quietly' | 'watchNexthops'>;
}): PrefixTables {
  const contents = { 4: new Map<number, Content>(), 6: new Map<number, Content>() };
  const inUse: Record<Family, number | undefined> = { 4: undefined, 6: undefined };
  /** Tables with unknown content: an earlier helper may have filled them. */
  const unknown = { 4: new Set<number>(prefixTables), 6: new Set<number>(prefixTables) };
  let led = new Set<Family>();
  function distrust(): void {
    for (const content of [...contents[4].values(), ...contents[6].values()]) content.isCounted = false;
  }
  monitor.onRemoval(distrust);
  /** Whether the kernel, and the program that watches it, support nexthops. */
  let nexthops: Promise<boolean> | undefined;
  const supportsNexthops = () =>
    (nexthops ??= run('ip', ['nexthop', 'show']).then(({ status }) => status === 0));

  const quietly = (count: number, task: () => Promise<void>) =>
    count > maxSingle ? monitor.quietly(task) : task();

  async function empty(family: Family, table: number): Promise<void> {
    const content = contents[family].get(table);
    if (!content && !unknown[family].has(table)) return;
    contents[family].delete(table);
    unknown[family].add(table);
    if (family === 4) await removeNexthop(nexthopOf(table));
    await removeRoutes(family, table);
    unknown[family].delete(table);
  }

  async function put(family: Family, prefixes: CapturedPrefixes, table: number): Promise<Content> {
    await empty(family, table);
    const [refuse, except] = [prefixes.include.of[family], prefixes.exclude.of[family]];
    const isLarge = family === 4 && refuse.lengths.length + except.lengths.length > maxSingle;
    const content: Content = {
      family,
      table,
      hasNexthop: isLarge && (await supportsNexthops()),
      id: idOf(prefixes),
      routes: { refuse, except },
      leads: false,
      isCounted: false,
      counting: undefined,
    };
    unknown[family].add(table);
    if (content.hasNexthop) {
      monitor.watchNexthops();
      await addNexthop(nexthopOf(table));
    }
    await addRoutes(content, 'except', except);
    await addRoutes(content, 'refuse', refuse);
    contents[family].set(table, content);
    unknown[family].delete(table);
    return content;
  }

  /**
   * Adds what is missing, and leaves existing routes, which packets are using. Resolves with whether everything is
   * there.
   */
  async function complete(content: Content): Promise<boolean> {
    const { table, routes } = content;
    if (content.hasNexthop && !(await hasNexthop(nexthopOf(table)))) await addNexthop(nexthopOf(table));
    await addRoutes(content, 'except', routes.except);
    await addRoutes(content, 'refuse', routes.refuse);
    return await has(content, ['refuse', 'except']);
  }

  async function leadInto(content: Content): Promise<void> {
    content.leads = await addRoutes(content, 'through', content.routes.refuse);
    content.isCounted = false;
  }

  /** Shared by concurrent callers: router and device both ask. */
  const countAll = (content: Content) =>
    (content.counting ??= countRoutes(content, () => false).finally(() => {
      content.counting = undefined;
    }));

  /** Whether the table has the expected number of routes of each kind. */
  async function has(content: Content, wanted: readonly Kind[]): Promise<boolean> {
    const [refuse, except] = [content.routes.refuse.lengths.length, content.routes.except.lengths.length];
    const expected = { through: refuse, refuse, except };
    const total = wanted.reduce((sum, kind) => sum + expected[kind], 0);
    const isWhole = total <= maxCounted || !content.isCounted;
    if (content.hasNexthop && !(await hasNexthop(nexthopOf(content.table)))) return false;
    const found = isWhole
      ? await countAll(content)
      : await countRoutes(content, (sofar) =>
          wanted.every((kind) => expected[kind] === 0 || sofar[kind] > 0),
        );
    return wanted.every((kind) =>
      isWhole ? found[kind] === expected[kind] : expected[kind] === 0 || found[kind] > 0,
    );
  }

  const isWhole = (content: Content) =>
    has(content, content.leads ? ['through', 'refuse', 'except'] : ['refuse', 'except']);

  return {
    tableFor(family, prefixes) {
      const id = idOf(prefixes);
      const unused = prefixTables.filter((table) => table !== inUse[family]);
      return (
        prefixTables.find((table) => contents[family].get(table)?.id === id) ??
        unused.find((table) => !contents[family].has(table)) ??
        unused[0] ??
        0
      );
    },
    async fill(family, prefixes, table) {
      const found = contents[family].get(table);
      const known = found?.id === idOf(prefixes) ? found : undefined;
      const isThere = known && (known.isCounted || (await isWhole(known)));
      if (isThere && (known.leads || !led.has(family))) return;
      await quietly(prefixes.include.length + prefixes.exclude.length, async () => {
        const isComplete = isThere || (known && (await complete(known)));
        const content = isComplete ? known : await put(family, prefixes, table);
        // Adding many routes takes so long that the engine's peer would seem dead; before the device has an address,
        // the filter refuses these packets.
        if (led.has(family) || content.hasNexthop) await leadInto(content);
      });
    },
    use(family, table) {
      inUse[family] = table;
    },
    async isFilled(family, table) {
      const content = contents[family].get(table);
      if (!content) return false;
      const isGood = await has(content, ['refuse', 'except']);
      if (isGood && !led.has(family)) content.isCounted = true;
      return isGood;
    },
    distrust,
    forget() {
      for (const family of [4, 6] as const) {
        contents[family].clear();
        inUse[family] = undefined;
        for (const table of prefixTables) unknown[family].add(table);
      }
    },
    async lead(families) {
      led = new Set(families);
      for (const family of [4, 6] as const) {
        // With its last address, a device loses its routes.
        if (!led.has(family)) for (const content of contents[family].values()) content.leads = false;
        const content = contents[family].get(inUse[family] ?? 0);
        if (content && led.has(family) && !content.leads)
          await quietly(content.routes.refuse.lengths.length, () => leadInto(content));
      }
    },
    async leads() {
      for (const family of led) {
        const content = contents[family].get(inUse[family] ?? 0);
        if (!content) continue;
        if (!(await has(content, ['through', 'refuse', 'except']))) return false;
        content.isCounted = true;
      }
      return true;
    },
    deviceLost() {
      led = new Set();
      for (const content of [...contents[4].values(), ...contents[6].values()]) content.leads = false;
    },
  };
}

/** Lists are identified by their content; a hundred thousand prefixes are not compared twice. */
const idOf = ({ include, exclude }: CapturedPrefixes) => `${include.digest} ${exclude.digest}`;
