import { settleAll } from '../settle-all.ts';
import type { Router, RoutingRules, Verdict } from '../system/ports.ts';
import type { Accounts } from './accounts.ts';
import type { RunCommand } from './command.ts';
import { routeProtocol, routingTable } from './identifiers.ts';
import { ipBatch, ipRemovalBatch, ipRulesBatch } from './ip-batch.ts';
import { removeRulesAndRoutes } from './netlink-routes.ts';
import type { NetworkMonitor } from './network-monitor.ts';
import {
  addLines,
  lastResortLine,
  refuseAllRule,
  removeLines,
  rulesOf,
  type Family,
} from './router-rules.ts';
import { hasIpv6 } from './uplink.ts';

/** The IP versions that this machine has. */
const families = (): Family[] => (hasIpv6() ? [4, 6] : [4]);

/** Routing rules that lead into a table of our own; the main table is left alone. */
export function createRouter(parts: {
  run: RunCommand;
  accounts: Accounts;
  monitor: NetworkMonitor;
}): Router {
  const { run, accounts, monitor } = parts;
  /** What is to be in force; undefined while nothing is. */
  let wanted: Map<Family, string[]> | undefined;
  /** Rules that may be there besides, after a change that failed. */
  const strays = new Map<Family, Set<string>>();

  async function change(rules: ReadonlyMap<Family, string[]>): Promise<void> {
    const before = wanted;
    wanted = new Map(rules);
    await settleAll(
      [...rules].map(async ([family, fresh]) => {
        const old = before?.get(family);
        const stray = strays.get(family) ?? new Set();
        strays.set(family, stray);
        for (const rule of [...(old ?? []), ...fresh]) stray.add(rule);
        if (!old) await ipBatch(run, lastResortLine(family), family);
        const added = fresh.filter((rule) => !old?.includes(rule));
        if (added.length > 0) await ipRulesBatch(run, addLines(added), family);
        const removed = [...stray].filter((rule) => !fresh.includes(rule));
        if (removed.length > 0) await ipRemovalBatch(run, removeLines(removed), family);
        strays.set(family, new Set(fresh));
      }),
    );
  }

  async function restore(): Promise<void> {
    const missing = wanted;
    if (!missing) return;
    wanted = undefined;
    await change(missing);
  }

  const expectedRules = async (rules: RoutingRules) => {
    await Promise.all([accounts.engine(), accounts.proxy()]);
    return new Map(families().map((family) => [family, rulesOf(family, rules, accounts.known)]));
  };

  async function verifyFamily(family: Family, rules: readonly string[]): Promise<Verdict> {
    const [listed, table] = await Promise.all([
      run('ip', [`-${family}`, 'rule', 'show']),
      run('ip', [`-${family}`, 'route', 'show', 'table', String(routingTable)]),
    ]);
    const found = listed.stdout
      .split('\n')
      .filter((line) => line.trimEnd().endsWith(`proto ${routeProtocol}`));
    const isRefusing = table.stdout.split('\n').some((line) => line.startsWith('unreachable default '));
    return found.length === rules.length && isRefusing ? 'in-force' : 'changed';
  }

  return {
    set: async (rules) => change(await expectedRules(rules)),
    async refuseAll() {
      const refusing = new Map(
        families().map((family) => [family, [refuseAllRule, ...(wanted?.get(family) ?? [])]]),
      );
      await change(refusing);
    },
    restore,
    async verify() {
      if (!wanted) return 'unset';
      const verdicts = await Promise.all([...wanted].map(([family, rules]) => verifyFamily(family, rules)));
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
