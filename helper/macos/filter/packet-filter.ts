import type { Log } from '../../log.ts';
import type { Verdict } from '../../system/ports/guarded.ts';
import type { FilterRules, PacketFilter } from '../../system/ports/packet-filter-port.ts';
import type { PortalRules } from '../../system/ports/portal-port.ts';
import { SystemChangeFailed } from '../../system/ports/system-change-failed.ts';
import type { FilterCalls } from '../calls/pfctl.ts';
import { filterAnchor } from '../identifiers.ts';
import { isAskedBeforeOthers, isAskedByMain } from './asked-first.ts';
import type { EnableToken } from './enable-token.ts';
import { capturedTable, filterText, type FilterUsers } from './filter-rules.ts';
import { staleStates } from './stale-states.ts';

/** The system does not report changes of its rules: they are read this often, in milliseconds. */
const lookMs = 5_000;
/** More connections than these are ended all at once, with those that could stay. */
const maxEndedEach = 32;
/** Larger tables are not counted: pfctl prints each prefix. */
const maxCounted = 10_000;

/** An anchor of our own, replaced as a whole; the main rule set is never changed. */
export function createPacketFilter(parts: {
  calls: FilterCalls;
  token: EnableToken;
  users: () => Promise<FilterUsers>;
  /** The name of the tunnel's device; undefined while there is none. */
  device: () => string | undefined;
  log: Log;
}): PacketFilter {
  const { calls, token, users, device, log } = parts;
  let rules: FilterRules | undefined;
  let portal: PortalRules | undefined;
  /** What should be in force; undefined if nothing should. */
  let wanted: string | undefined;
  /** How the kernel lists that; undefined if it was not loaded. */
  let asListed: string | undefined;
  let last: Promise<unknown> = Promise.resolve();
  const inOrder = <Result>(task: () => Promise<Result>): Promise<Result> => {
    const result = last.then(task, task);
    last = result;
    return result;
  };

  /** If it fails, the earlier rules are in force, or count as changed. */
  async function apply(next: FilterRules, isForced: boolean): Promise<void> {
    const text = await textOf(next);
    if (!isForced && text === wanted && asListed !== undefined) {
      rules = next;
      return;
    }
    const before = { rules, wanted };
    if (isForced) asListed = undefined;
    await calls.load(filterAnchor, text);
    rules = next;
    wanted = text;
    asListed = undefined;
    try {
      await enable();
      await endStale(next);
      const listed = await calls.rules(filterAnchor);
      // How many there are depends on pfctl, which makes several rules of a list, and leaves out what others contain.
      if (listed.length === 0)
        throw new SystemChangeFailed('the packet filter has no rules after they were loaded');
      asListed = listed.join('\n');
    } catch (error) {
      if (before.wanted !== undefined) {
        ({ rules, wanted } = before);
        await calls.load(filterAnchor, before.wanted);
      }
      throw error;
    }
  }

  const textOf = async (given: FilterRules) =>
    filterText(given, { device: device(), users: await users(), portal });

  async function enable(): Promise<void> {
    const held = token.read();
    const isEnabled = await calls.isEnabled();
    if (isEnabled && held !== undefined) return;
    // Somebody has switched it off for everybody, which ends all tokens.
    if (held !== undefined) await calls.release(held);
    await token.take((output) => calls.enable(output));
  }

  async function endStale(next: FilterRules): Promise<void> {
    const stale = staleStates(await calls.states(), next);
    const pairs = new Map(
      stale.map(({ source, destination }) => [`${source} ${destination}`, { source, destination }]),
    );
    if (pairs.size > maxEndedEach) {
      log.info('all connections that the packet filter knows are ended', { stale: pairs.size });
      for (const all of ['0.0.0.0/0', '::/0']) await calls.killStates(all, all);
    } else for (const { source, destination } of pairs.values()) await calls.killStates(source, destination);
  }

  async function verify(): Promise<Verdict> {
    if (wanted === undefined || !rules) return 'unset';
    if (asListed === undefined || !(await calls.isEnabled())) return 'changed';
    // The device may have been made again, under another name.
    if ((await textOf(rules)) !== wanted) return 'changed';
    const [main, listed] = await Promise.all([calls.mainRules(), calls.rules(filterAnchor)]);
    if (!isAskedByMain(main) || listed.join('\n') !== asListed) return 'changed';
    if (!(await isAskedBeforeOthers(calls))) return 'changed';
    for (const [index, capture] of rules.captures.entries()) {
      if (capture.kind !== 'prefixes') continue;
      const count = capture.include.length + capture.exclude.length;
      if (count > maxCounted || count === 0) continue;
      if ((await calls.countTable(filterAnchor, capturedTable(index))) !== count) return 'changed';
    }
    return 'in-force';
  }

  return {
    set: (next) => inOrder(() => apply(next, false)),
    setPortal: (next) =>
      inOrder(async () => {
        if (!rules) {
          if (next) throw new Error('there is no packet filter to let a portal through');
          return;
        }
        portal = next;
        await apply(rules, false);
      }),
    verify: () => inOrder(verify),
    restore: () =>
      inOrder(async () => {
        if (rules) await apply(rules, true);
      }),
    watch(onChange) {
      const timer = setInterval(onChange, lookMs).unref();
      return () => clearInterval(timer);
    },
    clear: () =>
      inOrder(async () => {
        rules = undefined;
        portal = undefined;
        wanted = undefined;
        asListed = undefined;
        await calls.load(filterAnchor, '');
        const held = token.read();
        if (held !== undefined) await calls.release(held);
        token.remove();
      }),
  };
}
