import { planOf } from '../modes/plan-of.ts';
import type { Log } from '../log.ts';
import { filterRulesOf, routingRulesOf } from './network-rules.ts';
import { resolversPast, type AppliedNetwork } from './applied-network.ts';
import type { Ports } from './ports/ports.ts';
import type { ProxyLifecycle } from './proxy-lifecycle.ts';
import { RoutingLost, SystemChangeFailed } from './ports/system-change-failed.ts';
import type { RoutingChange } from './system-adapter.ts';
import type { TunnelDns } from './tunnel-dns.ts';
import type { UndoRecord } from './journal/undo-record.ts';

/** Switches from one routing mode to another. */
export interface RoutingSwitch {
  /** Finds out and starts what the network's plan needs, without changing how anything is routed. */
  prepare(current: AppliedNetwork): Promise<void>;
  /**
   * Routes by another plan from now on; resolves with the new setup. Rejects when everything is as it was before, or
   * with `RoutingLost` if that failed, too: then `before` has to be released.
   */
  change(before: AppliedNetwork, to: RoutingChange): Promise<AppliedNetwork>;
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

  /**
   * While the rules change, a filter is in force that keeps both plans' promises, so it does not matter where they
   * stop. And nothing may ask the tunnel's resolvers while such packets might go elsewhere.
   */
  function changesBetween(before: AppliedNetwork, current: AppliedNetwork): Change[] {
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
      apply: () => ports.filter.set(filterRulesOf(current, [before.plan.capture])),
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
      revert: () => ports.filter.set(filterRulesOf(current, [before.plan.capture])),
      isAtomic: true,
    };
    const traffic = [filling, bothPromises, rules, ownPromise];
    return [
      preparation,
      writing,
      flushing,
      ...(givesResolversBack ? [isFlushed, resolvers, ...traffic] : [...traffic, isFlushed, resolvers]),
    ];
  }

  /** From last to first. If one fails, those before it stay, and with them the filter with both promises. */
  async function takeBack(made: readonly Change[]): Promise<void> {
    for (const change of made.toReversed()) await change.revert();
  }

  return {
    prepare,
    async change(before, { routing, ...wanted }) {
      const { killSwitch = before.connection.killSwitch } = wanted;
      const { allowIncoming = before.connection.allowIncoming } = wanted;
      const current: AppliedNetwork = {
        ...before,
        connection: {
          ...before.connection,
          routing,
          killSwitch,
          ...(allowIncoming !== undefined && { allowIncoming }),
        },
        plan: planOf(routing, before.split),
      };
      const made: Change[] = [];
      try {
        for (const change of changesBetween(before, current)) {
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
          throw new RoutingLost('nor could it be put back', { cause });
        });
        throw new SystemChangeFailed('the system refused another routing', { cause: error });
      }
      if (!current.plan.proxy) await endUnusedProxy(current);
      return current;
    },
  };
}
