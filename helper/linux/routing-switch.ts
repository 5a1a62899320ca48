import type { Routing } from '#shared/tunnel/state.ts';
import type { RunCommand } from './command.ts';
import { keepsLocalNetwork, routingOf, type Held } from './held.ts';
import type { ProxyKeeper } from './proxy-keeper.ts';
import { applyFilter, changeRules } from './traffic-rules.ts';
import type { TunnelNames } from './tunnel-names.ts';
import type { UndoRecord } from './undo-record.ts';
import { localPrefixes } from './uplink.ts';

/** From one way of routing to another. */
export interface RoutingSwitch {
  /** Finds out and starts what routing in this way needs, without changing anything yet. */
  prepare(current: Held): Promise<void>;
  /** Routes in another way from now on. `onBegun` is told what is held before the first change. */
  change(before: Held, routing: Routing, onBegun: (current: Held) => void): Promise<void>;
}

export function createRoutingSwitch(parts: {
  run: RunCommand;
  names: TunnelNames;
  proxies: ProxyKeeper;
  record: UndoRecord;
}): RoutingSwitch {
  const { run, names, proxies, record } = parts;

  async function prepare(current: Held): Promise<void> {
    const { routing } = current.connection;
    if (routing.mode === 'pac') {
      await proxies.prepare(current);
      return;
    }
    await names.prepare(current);
    current.localPrefixes = keepsLocalNetwork(routing) ? await localPrefixes(run) : [];
  }

  return {
    prepare,
    async change(before, routing, onBegun) {
      const current: Held = { ...before, connection: { ...before.connection, routing } };
      try {
        await prepare(current);
        await record.write(current);
      } catch (error) {
        // Nothing has been changed.
        if (!before.proxy && current.proxy) {
          proxies.leave(current.proxy);
          await proxies.end();
        }
        throw error;
      }
      onBegun(current);
      if (routing.mode === 'pac') await names.release(current);
      // Before the rules, so that neither way is there without its filter.
      await applyFilter(run, current.connection, current.accounts, current);
      await changeRules(run, routingOf(before), routingOf(current));
      if (current.configuration) await names.apply(current, current.configuration);
      if (routing.mode !== 'pac') {
        proxies.leave(current.proxy);
        current.proxy = undefined;
        await proxies.end();
      }
    },
  };
}
