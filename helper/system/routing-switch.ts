import { isDeepStrictEqual } from 'node:util';
import type { Log } from '../log.ts';
import { planOf } from '../modes/plan-of.ts';
import { filterRulesOf, routingRulesOf } from './network-rules.ts';
import { resolversPast, type AppliedNetwork } from './applied-network.ts';
import type { Ports } from './ports/ports.ts';
import type { ProxyLifecycle } from './proxy-lifecycle.ts';
import { RoutingLost, SystemChangeFailed } from './ports/system-change-failed.ts';
import type { RoutingChange } from './system-adapter.ts';
import type { TunnelDns } from './tunnel-dns.ts';
import type { UndoRecord } from './journal/undo-record.ts';

/** What a connection requires of the system from now on, and in which words it is remembered. */
export type WantedRouting = Pick<AppliedNetwork, 'connection' | 'plan' | 'split'>;

/** Switches from one routing plan to another. Both ways are made and reverted alike, step by step. */
export interface RoutingSwitch {
  /** Finds out and starts what the network's plan needs, without changing how anything is routed. */
  prepare(current: AppliedNetwork): Promise<void>;
  /**
   * Routes by another plan from now on; resolves with the new setup. Rejects when everything is as it was before, or
   * with `RoutingLost` if that failed, too: then `before` has to be released.
   */
  change(before: AppliedNetwork, to: WantedRouting): Promise<AppliedNetwork>;
  /**
   * Captures other prefixes in the same mode, and leaves the resolvers alone. The filter still keeps the earlier
   * promise, too, until the caller sets the new one alone; what `to` has unchanged is not touched. Rejects likewise.
   */
  recapture(before: AppliedNetwork, to: WantedRouting): Promise<AppliedNetwork>;
}

/** What a connection in another mode requires; what is absent from the change stays. */
export function wantedBy(before: AppliedNetwork, { routing, ...change }: RoutingChange): WantedRouting {
  const { killSwitch = before.connection.killSwitch } = change;
  const { allowIncoming = before.connection.allowIncoming } = change;
  return {
    connection: {
      ...before.connection,
      routing,
      killSwitch,
      ...(allowIncoming !== undefined && { allowIncoming }),
    },
    plan: planOf(routing, before.split),
    split: before.split,
  };
}

/** One of the changes that a switch consists of. */
interface Change {
  apply(): Promise<void>;
  /** Reverts what has been applied, completely or partly. */
  revert(): Promise<void>;
  /** It is applied completely or not at all. */
  isAtomic?: boolean;
}

export function createRoutingSwitch(parts: {
  ports: Ports;
  dns: TunnelDns;
  proxies: ProxyLifecycle;
  record: UndoRecord;
  log: Log;
}): RoutingSwitch {
  const { ports, dns, proxies, record, log } = parts;

  async function prepare(current: AppliedNetwork): Promise<void> {
    const { plan } = current;
    if (plan.proxy) await proxies.prepare(current);
    if (plan.resolvers !== 'unchanged') await dns.prepare(current);
    current.outsideResolvers = await resolversPast(plan.capture, ports.dns);
  }

  async function endUnusedProxy(current: AppliedNetwork): Promise<void> {
    proxies.leave(current.proxy);
    current.proxy = undefined;
    await proxies.end().catch((error: unknown) => log.error('the proxy could not be ended', error));
  }

  function changesOfJournal(before: AppliedNetwork, current: AppliedNetwork) {
    const writing: Change = {
      apply: () => record.note(current),
      revert: () => record.write(before),
      // On a full disk, it could not be reverted either.
      isAtomic: true,
    };
    let flushed = Promise.resolve();
    /** A power failure undoes changes of the routing by itself, so they need not wait; those of DNS may have to. */
    const flushing: Change = {
      async apply() {
        flushed = record.flush();
        flushed.catch(() => undefined);
      },
      // Before something else is written.
      revert: () => flushed.catch(() => undefined),
    };
    const isFlushed: Change = { apply: () => flushed, revert: () => Promise.resolve() };
    return { written: [writing, flushing], isFlushed };
  }

  /** While the rules change, a filter is in force that keeps both promises, so it does not matter where they stop. */
  function changesOfTraffic(before: AppliedNetwork, current: AppliedNetwork) {
    const promised = [...before.alsoRefused, before.plan.capture];
    let filled = Promise.resolve();
    /** In parallel with loading the filter, which takes as long. */
    const filling: Change = {
      async apply() {
        filled = ports.router.prepare(routingRulesOf(current));
        filled.catch(() => undefined);
      },
      revert: () => filled.catch(() => undefined),
    };
    const bothPromises: Change = {
      apply: () => ports.filter.set(filterRulesOf(current, promised)),
      revert: () => ports.filter.set(filterRulesOf(before)),
      isAtomic: true,
    };
    const rules: Change = {
      async apply() {
        await filled;
        await ports.router.set(routingRulesOf(current));
      },
      revert: () => ports.router.set(routingRulesOf(before)),
    };
    const ownPromise: Change = {
      apply: () => ports.filter.set(filterRulesOf(current)),
      revert: () => ports.filter.set(filterRulesOf(current, promised)),
      isAtomic: true,
    };
    return { underBoth: [filling, bothPromises, rules], ownPromise };
  }

  /** Nothing may ask the tunnel's resolvers while such packets might go elsewhere. */
  function changesOfMode(before: AppliedNetwork, current: AppliedNetwork): Change[] {
    const givesResolversBack = current.plan.resolvers === 'unchanged';
    const preparation: Change = {
      async apply() {
        current.networks = await ports.uplink.nearbyNetworks();
        await prepare(current);
      },
      async revert() {
        if (before.proxy) await proxies.configure(before);
        else if (current.proxy) await endUnusedProxy(current);
      },
    };
    const resolvers: Change = {
      apply: () => (givesResolversBack ? dns.release(current) : dns.apply(current)),
      async revert() {
        if (!before.dns) {
          await dns.release(current);
          return;
        }
        await record.write(before);
        await dns.apply(before);
      },
    };
    const { written, isFlushed } = changesOfJournal(before, current);
    const { underBoth, ownPromise } = changesOfTraffic(before, current);
    const traffic = [...underBoth, ownPromise];
    return [
      preparation,
      ...written,
      ...(givesResolversBack ? [isFlushed, resolvers, ...traffic] : [...traffic, isFlushed, resolvers]),
    ];
  }

  function changesOfCapture(before: AppliedNetwork, current: AppliedNetwork): Change[] {
    /** Of the new plan: from the moment that less is captured, they would be asked. */
    const lookingUp: Change = {
      async apply() {
        current.outsideResolvers = await resolversPast(current.plan.capture, ports.dns);
      },
      revert: () => Promise.resolve(),
    };
    const { written, isFlushed } = changesOfJournal(before, current);
    const isSame = {
      connection: current.connection === before.connection,
      // What was lost before has left it unknown which rules there are.
      plan: current.plan === before.plan && before.alsoRefused.length === 0,
    };
    return [
      ...(isSame.plan ? [] : [lookingUp]),
      // A full disk must not keep the network's changes from being followed.
      ...(isSame.connection ? [] : written),
      ...(isSame.plan ? [] : changesOfTraffic(before, current).underBoth),
      ...(isSame.connection ? [] : [isFlushed]),
    ];
  }

  /** From last to first. If one fails, those before it stay, and with them the filter with both promises. */
  async function takeBack(made: readonly Change[]): Promise<void> {
    for (const change of made.toReversed()) await change.revert();
  }

  /** Makes them one after the other, and all of them or none. */
  async function make(changes: readonly Change[], before: AppliedNetwork, current: AppliedNetwork) {
    const made: Change[] = [];
    try {
      for (const change of changes) {
        if (!change.isAtomic) made.push(change);
        await change.apply();
        if (change.isAtomic) made.push(change);
      }
    } catch (error) {
      log.error('the routing could not be changed', error);
      await takeBack(made).catch(async (cause: unknown) => {
        // One of the two has the earlier resolvers.
        before.dns ??= current.dns;
        // No program has been sent to it yet; if it stayed, it would be started again whenever it ended.
        if (!before.proxy && current.proxy) await endUnusedProxy(current);
        const { capture } = current.plan;
        if (![...before.alsoRefused, before.plan.capture].some((known) => isDeepStrictEqual(known, capture)))
          before.alsoRefused = [...before.alsoRefused, capture];
        throw new RoutingLost('nor could it be put back', { cause });
      });
      throw new SystemChangeFailed('the system refused another routing', { cause: error });
    }
  }

  return {
    prepare,
    async change(before, to) {
      const current: AppliedNetwork = { ...before, ...to, alsoRefused: [] };
      await make(changesOfMode(before, current), before, current);
      if (!current.plan.proxy) await endUnusedProxy(current);
      return current;
    },
    async recapture(before, to) {
      const current: AppliedNetwork = { ...before, ...to, alsoRefused: [] };
      await make(changesOfCapture(before, current), before, current);
      return current;
    },
  };
}
