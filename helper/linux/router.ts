import { settleAll } from '../settle-all.ts';
import type { Router, RoutingRules, Verdict } from '../system/ports.ts';
import type { Accounts } from './accounts.ts';
import type { RunCommand } from './command.ts';
import { prefixTable, routeProtocol, routingTable } from './identifiers.ts';
import { ipAdditionBatch, ipRemovalBatch } from './ip-batch.ts';
import { removeRulesAndRoutes } from './netlink-routes.ts';
import type { NetworkMonitor } from './network-monitor.ts';
import {
  addLines,
  addRouteLines,
  lastResortLine,
  prefixRoutesOf,
  refuseAllRule,
  removeLines,
  removeRouteLines,
  rulesOf,
  type Family,
} from './router-rules.ts';
import { hasIpv6 } from './uplink.ts';

/** The IP versions that this machine has. */
const families = (): Family[] => (hasIpv6() ? [4, 6] : [4]);

/** Of one IP version: its rules, and what refuses or lets through prefixes. */
interface Wanted {
  rules: readonly string[];
  routes: readonly string[];
}

/** Routing rules that lead into a table of our own; the main table is left alone. */
export function createRouter(parts: {
  run: RunCommand;
  accounts: Accounts;
  monitor: NetworkMonitor;
}): Router {
  const { run, accounts, monitor } = parts;
  /** What is to be in force; undefined while nothing is. */
  let wanted: Map<Family, Wanted> | undefined;
  /** What may be there besides, after a change that failed. */
  const strays = new Map<Family, Wanted>();

  async function change(next: ReadonlyMap<Family, Wanted>): Promise<void> {
    const before = wanted;
    wanted = new Map(next);
    await settleAll(
      [...next].map(async ([family, fresh]) => {
        const old = before?.get(family);
        const maybe = { rules: mayBeThere('rules'), routes: mayBeThere('routes') };
        strays.set(family, {
          rules: [...maybe.rules, ...fresh.rules],
          routes: [...maybe.routes, ...fresh.routes],
        });
        // Routes first: no rule is to lead to where there is nothing.
        const additions = [
          old ? '' : lastResortLine(family),
          addRouteLines(without(fresh.routes, old?.routes)),
          addLines(without(fresh.rules, old?.rules)),
        ].join('');
        if (additions !== '') await ipAdditionBatch(run, additions, family);
        const removed = without(maybe.rules, fresh.rules);
        // The other way round: else the engine's packets went into the tunnel until the rule that leads there is gone too.
        if (removed.length > 0) await ipRemovalBatch(run, removeLines(removed.toReversed()), family);
        // No rule leads to them any more, or others have taken their place.
        const stale = without(maybe.routes, fresh.routes);
        if (stale.length > 0) await ipRemovalBatch(run, removeRouteLines(stale), family);
        strays.set(family, fresh);

        function mayBeThere(kind: keyof Wanted): string[] {
          return [...new Set([...(strays.get(family)?.[kind] ?? []), ...(old?.[kind] ?? [])])];
        }
      }),
    );
  }

  async function restore(): Promise<void> {
    const missing = wanted;
    if (!missing) return;
    wanted = undefined;
    await change(missing);
  }

  const wantedFor = async (rules: RoutingRules) => {
    await Promise.all([accounts.engine(), accounts.proxy()]);
    const ofFamily = (family: Family): Wanted => ({
      rules: rulesOf(family, rules, accounts.known),
      routes: prefixRoutesOf(family, rules),
    });
    return new Map(families().map((family) => [family, ofFamily(family)]));
  };

  async function verifyFamily(family: Family, { rules, routes }: Wanted): Promise<Verdict> {
    const show = (table: number) => run('ip', [`-${family}`, 'route', 'show', 'table', String(table)]);
    const [listed, table, prefixes] = await Promise.all([
      run('ip', [`-${family}`, 'rule', 'show']),
      show(routingTable),
      routes.length > 0 ? show(prefixTable) : undefined,
    ]);
    const found = listed.stdout
      .split('\n')
      .filter((line) => line.trimEnd().endsWith(`proto ${routeProtocol}`));
    const isRefusing = table.stdout.split('\n').some((line) => line.startsWith('unreachable default '));
    const refused = prefixes?.stdout.match(/^(?:throw|unreachable) /gm)?.length ?? 0;
    const isWhole = found.length === rules.length && isRefusing && refused === routes.length;
    return isWhole ? 'in-force' : 'changed';
  }

  return {
    set: async (rules) => change(await wantedFor(rules)),
    async refuseAll() {
      const refusing = new Map(
        families().map((family) => {
          const { rules = [], routes = [] } = wanted?.get(family) ?? {};
          return [family, { rules: [refuseAllRule, ...rules], routes }];
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
    watch: (onChange) => monitor.subscribe(onChange),
    async clear() {
      wanted = undefined;
      strays.clear();
      await removeRulesAndRoutes(families());
    },
  };
}

function without(all: readonly string[], others: readonly string[] = []): string[] {
  const known = new Set(others);
  return all.filter((one) => !known.has(one));
}
