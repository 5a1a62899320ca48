import { settleAll } from '../../settle-all.ts';
import type { PortalRules } from '../../system/ports/portal-port.ts';
import type { Router, RoutingRules } from '../../system/ports/router-port.ts';
import type { Verdict } from '../../system/ports/guarded.ts';
import type { CapturedPrefixes } from '../../modes/routing-plan.ts';
import type { Accounts } from '../callers/accounts.ts';
import type { RunCommand } from '../../posix/command.ts';
import { routingTable } from '../identifiers.ts';
import { ipChangeBatch } from './ip-batch.ts';
import { leadsElsewhere } from './leads-elsewhere.ts';
import { removeDoubleRules, removeRulesAndRoutes } from '../netlink/netlink-routes.ts';
import { readRules, readTunnelTable } from '../netlink/netlink-state.ts';
import type { NetworkMonitor } from './network-monitor.ts';
import type { Family } from '../../network/prefix-list.ts';
import type { PrefixTables } from './prefix-tables.ts';
import { isReversePathStrict } from './reverse-path.ts';
import {
  addLines,
  lastResortLine,
  localRule,
  portalRules,
  refuseAllRule,
  removeLines,
  rulesOf,
} from './router-rules.ts';
import { hasIpv6 } from './uplink.ts';

/** The IP versions that this machine has. */
const families = (): Family[] => (hasIpv6() ? [4, 6] : [4]);

/** For one IP version: its rules, the prefixes that they lead to, and the table of these. */
interface Wanted {
  rules: readonly string[];
  prefixes: { table: number; captured: CapturedPrefixes } | undefined;
}

/** Routing rules that lead into a table of our own; the main table is not touched. */
export function createRouter(parts: {
  run: RunCommand;
  accounts: Accounts;
  monitor: NetworkMonitor;
  tables: PrefixTables;
}): Router {
  const { run, accounts, monitor, tables } = parts;
  /** What should be in force; undefined if nothing should. */
  let wanted: Map<Family, Wanted> | undefined;
  /** Rules that may exist in addition, after a change that failed. */
  const strays = new Map<Family, readonly string[]>();
  /** The rules from which `wanted` was computed; undefined if it must not change. */
  let latest: RoutingRules | undefined;
  let portal: Pick<PortalRules, 'resolvers'> | undefined;
  /** What the tables have just been filled for. */
  let prepared: RoutingRules['capture'] | undefined;

  async function change(next: ReadonlyMap<Family, Wanted>, isPrepared = false): Promise<void> {
    const before = wanted;
    const all = (wanted = new Map(next));
    await settleAll(
      [...next].map(async ([family, given]) => {
        const fresh = await withLocalFirst(family, given);
        all.set(family, fresh);
        const old = before?.get(family);
        const maybe = [...new Set([...(strays.get(family) ?? []), ...(old?.rules ?? [])])];
        strays.set(family, [...maybe, ...fresh.rules]);
        // Routes first: no rule may lead to an empty table.
        if (!isPrepared) await fill(family, fresh);
        const additions = (old ? '' : lastResortLine(family)) + addLines(without(fresh.rules, old?.rules));
        // In reverse order: otherwise the engine's packets would go into the tunnel until the rule that leads there is
        // gone, too.
        const removals = removeLines(without(maybe, fresh.rules).toReversed());
        await ipChangeBatch(run, { additions, removals }, family);
        tables.use(family, fresh.prefixes?.table);
        strays.set(family, fresh.rules);
      }),
    );
  }

  async function fill(family: Family, { prefixes }: Wanted): Promise<void> {
    if (prefixes) await tables.fill(family, prefixes.captured, prefixes.table);
  }

  /** Whatever our rules say is about what leaves the machine. */
  async function withLocalFirst(family: Family, { rules, prefixes }: Wanted): Promise<Wanted> {
    const others = rules.filter((one) => one !== localRule);
    return { rules: (await readRules(family)).isLocalFirst ? others : [localRule, ...others], prefixes };
  }

  async function restore(): Promise<void> {
    const missing = wanted;
    if (!missing) return;
    wanted = undefined;
    tables.distrust();
    await change(missing);
    await removeDoubleRules([...missing.keys()]);
  }

  const wantedFor = async (rules: RoutingRules) => {
    await Promise.all([accounts.engine(), accounts.proxy()]);
    const { capture } = rules;
    const ofFamily = (family: Family): Wanted => {
      const prefixes =
        capture.kind === 'prefixes'
          ? { table: tables.tableFor(family, capture), captured: capture }
          : undefined;
      // No way back is looked up if only some programs' packets are captured, nor with IPv6.
      const isAsked = family === 4 && (capture.kind === 'everything' || capture.kind === 'prefixes');
      return {
        rules: [
          ...(portal && isAsked && isReversePathStrict() ? portalRules(portal.resolvers) : []),
          ...rulesOf(family, rules, accounts.known, prefixes?.table ?? routingTable),
        ],
        prefixes,
      };
    };
    return new Map(families().map((family) => [family, ofFamily(family)]));
  };

  async function verifyFamily(family: Family, { rules, prefixes }: Wanted): Promise<Verdict> {
    const [{ ours, isLocalFirst }, { refuses }, isFilled] = await Promise.all([
      readRules(family),
      readTunnelTable(family),
      prefixes ? tables.isFilled(family, prefixes.table) : true,
    ]);
    const isWhole = ours.length === rules.length && (isLocalFirst || rules.includes(localRule));
    return isWhole && refuses && isFilled ? 'in-force' : 'changed';
  }

  return {
    async set(rules) {
      latest = rules;
      const isPrepared = prepared === rules.capture;
      prepared = undefined;
      await change(await wantedFor(rules), isPrepared);
    },
    async prepare(rules) {
      prepared = undefined;
      await settleAll([...(await wantedFor(rules))].map(([family, next]) => fill(family, next)));
      prepared = rules.capture;
    },
    async setPortal(next) {
      portal = next;
      if (latest) await change(await wantedFor(latest));
    },
    async refuseAll() {
      latest = undefined;
      const refusing = new Map(
        families().map((family) => {
          const { rules = [], prefixes } = wanted?.get(family) ?? {};
          return [family, { rules: [refuseAllRule, ...rules], prefixes }];
        }),
      );
      await change(refusing);
    },
    restore,
    async verify() {
      if (!wanted) return 'unset';
      const verdicts = await Promise.all([...wanted].map(([family, all]) => verifyFamily(family, all)));
      return verdicts.every((verdict) => verdict === 'in-force') ? 'in-force' : 'changed';
    },
    async isOverruled() {
      // Where only some packets are captured, others' rules may well be about the rest.
      if (!wanted || latest?.capture.kind !== 'everything') return false;
      return await leadsElsewhere(wanted.keys());
    },
    watch: (onChange) => monitor.subscribe(onChange),
    async clear() {
      wanted = undefined;
      latest = undefined;
      prepared = undefined;
      portal = undefined;
      strays.clear();
      await removeRulesAndRoutes(families());
      tables.forget();
    },
  };
}

function without(all: readonly string[], others: readonly string[] = []): string[] {
  const known = new Set(others);
  return all.filter((one) => !known.has(one));
}
