import type { Log } from '../log.ts';
import type { AppliedNetwork } from './applied-network.ts';
import { askedServers } from './asked-resolvers.ts';
import type { DnsPort } from './ports/dns-port.ts';
import { createPutBackLimit } from './put-back-limit.ts';
import type { UndoRecord } from './journal/undo-record.ts';
import type { TunnelConfiguration } from '../network/tunnel-configuration.ts';
import { usableResolvers } from './usable-resolvers.ts';

/** Decides which resolvers the machine uses: the tunnel's, or the same ones as before. */
export interface TunnelDns {
  /** Reads the current DNS settings, without changing anything yet. */
  prepare(current: AppliedNetwork): Promise<void>;
  /** The resolvers that can be asked through a tunnel with these addresses; `pushed`: those of the gateway. */
  usableServers(
    current: AppliedNetwork,
    pushed: readonly string[],
    addresses: TunnelConfiguration['addresses'],
  ): Promise<string[]>;
  /** Remembers the DNS settings if somebody has changed them since, then makes the tunnel's resolvers the only ones. */
  apply(current: AppliedNetwork): Promise<void>;
  /**
   * Checks whether they still are, and sets them again if somebody else has changed that. `changed`: this failed, or
   * must not be repeated so soon; it will be tried again.
   */
  follow(current: AppliedNetwork): Promise<'in-force' | 'changed'>;
  /** Calls back when `follow` should be called. Returns a function that ends the watch. */
  watch(onChange: () => void): () => void;
  /** Whether somebody else keeps changing them, so that the tunnel's are not in force for seconds at a time. */
  isContested(): boolean;
  /** DNS is as before the tunnel again. */
  release(current: AppliedNetwork): Promise<void>;
}

/** Names that cannot be resolved for longer than this are told, in milliseconds. */
const noticeableMs = 3_000;
/** For how long nobody else has to change them until the fight is over. */
const calmMs = 10_000;

export function createTunnelDns(parts: {
  port: DnsPort;
  record: UndoRecord;
  /** `isContested` has changed. */
  onContested: () => void;
  log: Log;
}): TunnelDns {
  const { port, record, log } = parts;
  const limit = createPutBackLimit();
  let onChanged: () => void = () => undefined;
  /** Whether something was set since the DNS settings were remembered. */
  let isSet = false;
  let retry: NodeJS.Timeout | undefined;
  let isContested = false;
  let calm: NodeJS.Timeout | undefined;

  function contest(next: boolean): void {
    clearTimeout(calm);
    calm = undefined;
    if (isContested === next) return;
    isContested = next;
    parts.onContested();
  }

  /** They are in force again, but somebody may change them any moment. */
  function calmDown(): void {
    if (!isContested) return;
    calm ??= setTimeout(() => {
      log.info('nobody else changes the DNS settings any more');
      contest(false);
    }, calmMs).unref();
  }

  async function apply(current: AppliedNetwork): Promise<void> {
    const { dns: names, configuration } = current;
    if (!names || !configuration) return;
    const undo = await port.prepareAgain();
    if (undo !== names.undo) {
      names.undo = undo;
      await record.write(current);
    }
    const servers = askedServers(current);
    if (servers.length > 0) await port.set({ ...configuration.dns, servers });
    else if (isSet && current.plan.resolvers === 'captured') await port.clear();
    isSet = servers.length > 0;
  }

  async function putBack(current: AppliedNetwork): Promise<'in-force' | 'changed'> {
    clearTimeout(calm);
    calm = undefined;
    const { count, waitMs } = limit.take();
    if (waitMs > 0) {
      if (retry === undefined)
        log.warn('the DNS settings are changed again and again; they stay as they are for now', {
          count,
          waitMs,
        });
      if (waitMs > noticeableMs) contest(true);
      followLater(waitMs);
      return 'changed';
    }
    try {
      await apply(current);
    } catch (error) {
      log.error('the DNS settings could not be put back', error, { count });
      contest(true);
      followLater(limit.afterFailureMs);
      return 'changed';
    }
    log.warn('somebody else changed the DNS settings; they were put back', { count });
    const verdict = await port.verify();
    if (verdict === 'in-force') calmDown();
    return verdict;
  }

  function followLater(ms: number): void {
    retry ??= setTimeout(() => {
      retry = undefined;
      onChanged();
    }, ms).unref();
  }

  return {
    apply,
    async prepare(current) {
      if (current.dns) return;
      current.dns = { undo: await port.prepare() };
      isSet = false;
    },
    usableServers({ dns: names, connection }, pushed, addresses) {
      const machine = async () => {
        // In mode pac nothing is set, but the machine's resolvers may have changed since the last connection.
        if (!names) await port.prepare();
        return port.originalServers();
      };
      // Programs use these resolvers anyway, so they count if they can be reached.
      if (names && !port.isSettable()) {
        log.warn('the DNS settings cannot be changed; they stay as they are');
        return usableResolvers({ pushed: [], machine }, addresses);
      }
      const { ownResolvers: own = [] } = connection;
      return usableResolvers({ own, pushed, machine }, addresses);
    },
    async follow(current) {
      if (!current.dns || askedServers(current).length === 0) {
        contest(false);
        return 'in-force';
      }
      if ((await port.verify()) !== 'in-force') return putBack(current);
      calmDown();
      return 'in-force';
    },
    isContested: () => isContested,
    watch(onChange) {
      onChanged = onChange;
      const stop = port.watch(onChange);
      return () => {
        stop();
        onChanged = () => undefined;
        clearTimeout(retry);
        retry = undefined;
        contest(false);
      };
    },
    async release(current) {
      if (!current.dns) return;
      await port.clear();
      current.dns = undefined;
      await record.write(current);
    },
  };
}
