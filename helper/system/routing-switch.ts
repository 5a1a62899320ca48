import { planOf } from '../modes/routing-plan.ts';
import type { Log } from '../log.ts';
import { filterRulesOf, resolversPast, routingRulesOf, type AppliedNetwork } from './applied-network.ts';
import type { Ports } from './ports.ts';
import type { ProxyLifecycle } from './proxy-lifecycle.ts';
import { RoutingLost, SystemChangeFailed, type RoutingChange } from './system-adapter.ts';
import type { TunnelDns } from './tunnel-dns.ts';
import type { UndoRecord } from './undo-record.ts';

/** From one routing mode to another. */
export interface RoutingSwitch {
  /** Finds out and starts what the network's plan needs, without changing anything yet. */
  prepare(current: AppliedNetwork): Promise<void>;
  /**
   * Routes by another plan from now on; resolves to what is applied then. Rejects when all is again as it was before,
   * or with `RoutingLost` if that could not be had either: then `before` is to be released.
   */
  change(before: AppliedNetwork, to: RoutingChange): Promise<AppliedNetwork>;
}

/** One of the changes that a switch is made of. */
interface Change {
  apply(): Promise<void>;
  /** Takes back what has been applied, in whole or in part. */
  revert(): Promise<void>;
  /** It is applied whole or not at all. */
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
    current.networks = await ports.uplink.nearbyNetworks();
  }

  async function endUnusedProxy(current: AppliedNetwork): Promise<void> {
    proxies.leave(current.proxy);
    current.proxy = undefined;
    await proxies.end().catch((error: unknown) => log.error('the proxy could not be ended', error));
  }

  /**
   * While the rules change, a filter is in force that holds both plans' promises: it does not matter where they stop
   * then. And nobody is to ask the tunnel's resolvers while such packets might go elsewhere.
   */
  function changesBetween(before: AppliedNetwork, current: AppliedNetwork): Change[] {
    const givesResolversBack = current.plan.resolvers === 'unchanged';
    const preparation: Change = {
      apply: () => prepare(current),
      async revert() {
        if (before.proxy) await proxies.configure(before);
        else if (current.proxy) await endUnusedProxy(current);
      },
    };
    const writing: Change = {
      apply: () => record.note(current),
      revert: () => record.write(before),
      // On a full disk it could not be taken back either.
      isAtomic: true,
    };
    let flushed = Promise.resolve();
    /** The traffic's changes go with a power failure, so they need not wait; those of DNS may not. */
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
    /** While the filter is loaded, which takes as long. */
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

  /** From the last to the first; what comes before one that fails stays, and with it the filter of both promises. */
  async function takeBack(made: readonly Change[]): Promise<void> {
    for (const change of made.toReversed()) await change.revert();
  }

  return {
    prepare,
    async change(before, { routing, killSwitch = before.connection.killSwitch }) {
      const current: AppliedNetwork = {
        ...before,
        connection: { ...before.connection, routing, killSwitch },
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
          // What its resolvers were like is in one of the two.
          before.dns ??= current.dns;
          // Nobody has been sent to it yet; left alone, it would be started again whenever it is ended.
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
