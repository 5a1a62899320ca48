import { maxTimerMs } from '#shared/timer-limit.ts';
import type { Log } from '../../log.ts';
import type { FilterRules, PacketFilter } from '../../system/ports/packet-filter-port.ts';
import type { PortalRules } from '../../system/ports/portal-port.ts';
import type { Filter, Filtering, FilterSession } from '../calls/filtering.ts';
import type { Guid } from '#node/os/windows/guid.ts';
import type { Luid } from '../calls/ip-helper.ts';
import { SystemError } from '../calls/system-error.ts';
import { filterProvider, sublayers } from '../identifiers.ts';
import { withKey } from './filter-key.ts';
import { filtersOf, portalFilters } from './filter-rules.ts';
import type { FilterSurroundings } from './rule.ts';

/** Asked before all others. */
const firstSublayerWeight = 0xffff;

/**
 * The Windows Filtering Platform with sublayers of our own. Each change is one transaction, in which what stays the
 * same is not touched; what is there outlives the helper.
 */
export function createPacketFilter(parts: {
  filtering: Filtering;
  surroundings: () => FilterSurroundings;
  log: Log;
}): PacketFilter {
  const { filtering, surroundings, log } = parts;
  /** What should be in force; undefined if nothing should. */
  let rules: FilterRules | undefined;
  let session: FilterSession | undefined;
  let portal: { rules: PortalRules; session: FilterSession; timer: NodeJS.Timeout } | undefined;

  /** Those who watch, and what ends the watch of each. */
  const watching = new Map<() => void, () => void>();

  /** The filtering engine may have been restarted; a session of before is none any more. */
  function inSession<Result>(act: (session: FilterSession) => Result): Result {
    if (session) {
      try {
        return act(session);
      } catch (error) {
        if (!(error instanceof SystemError)) throw error;
        log.warn('a call of the filtering engine failed; a new session begins', { reason: error.message });
        attempt('a session with the filtering engine could not be closed', () => session?.close());
        session = undefined;
      }
    }
    const fresh = filtering.open('static');
    session = fresh;
    for (const onChange of watching.keys()) watching.set(onChange, fresh.watch(onChange));
    return act(fresh);
  }

  function attempt(problem: string, act: () => void): void {
    try {
      act();
    } catch (error) {
      log.error(problem, error);
    }
  }

  function inTransaction(change: (session: FilterSession) => void): void {
    inSession((one) => {
      one.begin();
      try {
        change(one);
        one.commit();
      } catch (error) {
        attempt('a transaction of the filter could not be ended', () => one.abort());
        throw error;
      }
    });
  }

  function apply(wanted: readonly Filter[]): void {
    inTransaction((one) => {
      one.addProvider({ key: filterProvider, name: 'Waymaker' });
      for (const [index, key] of sublayers.entries())
        one.addSublayer({
          key,
          name: 'Waymaker',
          provider: filterProvider,
          weight: firstSublayerWeight - index,
        });
      const missing = new Map(wanted.map((filter) => [filter.key, filter]));
      for (const { key } of one.filters(filterProvider)) if (!missing.delete(key)) one.deleteFilter(key);
      for (const filter of missing.values()) one.addFilter(filter);
    });
  }

  function openPortal(next: PortalRules, current: FilterRules): void {
    const dynamic = filtering.open('dynamic');
    try {
      dynamic.begin();
      for (const filter of portalFilters(next, current, surroundings())) dynamic.addFilter(withKey(filter));
      dynamic.commit();
    } catch (error) {
      dynamic.close();
      throw error;
    }
    // The engine removes them if the helper ends; one that hangs keeps them until it is ended.
    const delay = Math.min(Math.max(next.until - performance.now(), 0), maxTimerMs);
    portal = { rules: next, session: dynamic, timer: setTimeout(closePortal, delay).unref() };
  }

  function closePortal(): void {
    if (!portal) return;
    clearTimeout(portal.timer);
    const { session: dynamic } = portal;
    portal = undefined;
    dynamic.close();
  }

  /** Its filters are for what is captured, and in its sublayers. */
  function reopenPortal(current: FilterRules): void {
    if (!portal) return;
    const { rules: same } = portal;
    closePortal();
    openPortal(same, current);
  }

  /** What was last worked out: a list may have a hundred thousand prefixes. */
  let known: { rules: FilterRules; tunnel: Luid | undefined; filters: Filter[] } | undefined;

  function wantedFor(given: FilterRules): Filter[] {
    const machine = surroundings();
    if (known?.rules !== given || known.tunnel !== machine.tunnel)
      known = { rules: given, tunnel: machine.tunnel, filters: filtersOf(given, machine) };
    return known.filters;
  }

  const isInForce = (wanted: readonly Filter[]): boolean => {
    const keys = new Set<Guid>(wanted.map(({ key }) => key));
    const found = inSession((one) => one.filters(filterProvider));
    return found.length === keys.size && found.every(({ key }) => keys.has(key));
  };

  return {
    // A whole set is replaced at once, however large it is: nothing has to be held back meanwhile.
    async set(next) {
      apply(wantedFor(next));
      rules = next;
      reopenPortal(next);
    },
    async setPortal(next) {
      if (!rules) {
        if (next) throw new Error('there is no packet filter to let a portal through');
        return;
      }
      closePortal();
      if (next) openPortal(next, rules);
    },
    async verify() {
      if (!rules) return 'unset';
      return isInForce(wantedFor(rules)) ? 'in-force' : 'changed';
    },
    async restore() {
      if (rules) apply(wantedFor(rules));
    },
    watch(onChange) {
      watching.set(
        onChange,
        inSession((one) => one.watch(onChange)),
      );
      return () => {
        watching.get(onChange)?.();
        watching.delete(onChange);
      };
    },
    async clear() {
      rules = undefined;
      known = undefined;
      closePortal();
      inTransaction((one) => {
        // Filters first: a sublayer with some cannot be deleted.
        for (const { key } of one.filters(filterProvider)) one.deleteFilter(key);
        for (const key of sublayers) one.deleteSublayer(key);
        one.deleteProvider(filterProvider);
      });
    },
  };
}
