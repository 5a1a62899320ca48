import type { Log } from '../log.ts';
import { RoutingLost, SystemChangeFailed, type RoutingChange } from './system-adapter.ts';
import type { RunCommand } from '../linux/command.ts';
import { keepsLocalNetwork, routingOf, strictnessOf, type Held } from './applied-network.ts';
import type { ProxyLifecycle } from './proxy-lifecycle.ts';
import { applyFilter, changeRules } from '../linux/traffic-rules.ts';
import type { TunnelDns } from './tunnel-dns.ts';
import type { UndoRecord } from './undo-record.ts';
import { localPrefixes } from '../linux/uplink.ts';

/** From one way of routing to another. */
export interface RoutingSwitch {
  /** Finds out and starts what routing in this way needs, without changing anything yet. */
  prepare(current: Held): Promise<void>;
  /**
   * Routes in another way from now on; resolves to what is held then. Rejects when all is again as it was before, or
   * with `RoutingLost` if that could not be had either: then `before` is to be released.
   */
  change(before: Held, to: RoutingChange): Promise<Held>;
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
  run: RunCommand;
  names: TunnelDns;
  proxies: ProxyLifecycle;
  record: UndoRecord;
  log: Log;
}): RoutingSwitch {
  const { run, names, proxies, record, log } = parts;

  async function prepare(current: Held): Promise<void> {
    const { routing } = current.connection;
    if (routing.mode === 'pac') {
      await proxies.prepare(current);
      return;
    }
    await names.prepare(current);
    current.localPrefixes = keepsLocalNetwork(routing) ? await localPrefixes(run) : [];
  }

  async function endUnusedProxy(current: Held): Promise<void> {
    proxies.leave(current.proxy);
    current.proxy = undefined;
    await proxies.end().catch((error: unknown) => log.error('the proxy could not be ended', error));
  }

  /**
   * While the rules change, the stricter of the two filters is in force: it does not matter where they stop then. And
   * nobody is to ask the tunnel's resolvers while such packets might go elsewhere.
   */
  function changesBetween(before: Held, current: Held): Change[] {
    const isToProxy = current.connection.routing.mode === 'pac';
    const preparation: Change = {
      apply: () => prepare(current),
      async revert() {
        if (before.proxy) await proxies.configure(before);
        else if (current.proxy) await endUnusedProxy(current);
      },
    };
    const writing: Change = {
      apply: () => record.write(current),
      revert: () => record.write(before),
    };
    const namesChange: Change = {
      apply: () => (isToProxy ? names.release(current) : names.apply(current)),
      async revert() {
        if (!before.names) {
          await names.release(current);
          return;
        }
        await record.write(before);
        await names.apply(before);
      },
    };
    const filter: Change = {
      apply: () => applyFilter(run, current),
      revert: () => applyFilter(run, before),
      isAtomic: true,
    };
    const rules: Change = {
      apply: () => changeRules(run, routingOf(before), routingOf(current)),
      revert: () => changeRules(run, routingOf(current), routingOf(before)),
    };
    const isStricter = strictnessOf(current.connection.routing) >= strictnessOf(before.connection.routing);
    const traffic = isStricter ? [filter, rules] : [rules, filter];
    return [preparation, writing, ...(isToProxy ? [namesChange, ...traffic] : [...traffic, namesChange])];
  }

  /** From the last to the first; what comes before one that fails stays, and with it the stricter filter. */
  async function takeBack(made: readonly Change[]): Promise<void> {
    for (const change of made.toReversed()) await change.revert();
  }

  return {
    prepare,
    async change(before, { routing, killSwitch = before.connection.killSwitch }) {
      const current: Held = { ...before, connection: { ...before.connection, routing, killSwitch } };
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
          // What its names were like is in one of the two.
          before.names ??= current.names;
          // Nobody has been sent to it yet; left alone, it would be started again whenever it is ended.
          if (!before.proxy && current.proxy) await endUnusedProxy(current);
          throw new RoutingLost('nor could it be put back', { cause });
        });
        throw new SystemChangeFailed('the system refused another routing', { cause: error });
      }
      if (routing.mode !== 'pac') await endUnusedProxy(current);
      return current;
    },
  };
}
