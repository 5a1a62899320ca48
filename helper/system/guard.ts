import type { Log } from '../log.ts';
import type { Guarded, Verdict } from './ports/guarded.ts';

/** The ports that the guard watches, by their names in the log. */
export type GuardedPorts = Readonly<Record<'packet-filter' | 'routing' | 'device', Guarded>>;
export type GuardedName = keyof GuardedPorts;

/** Keeps everything in force although others remove it: `nft flush ruleset`, `ip rule flush`, a removed device. */
export interface Guard {
  /** Starts watching; does nothing if it already does. */
  start(): void;
  stop(): void;
  /** Checks everything, and restores what is missing. Resolves with what could not be restored. */
  check(): Promise<GuardedName[]>;
  /** Whether a port is in force, after restoring it if necessary. False also if nothing was set. */
  ensure(name: GuardedName): Promise<boolean>;
}

/** The delay before a failed restore is tried again, in milliseconds; changes in between do not shorten it. */
const retryMs = 1_000;
/** After this many consecutive failed checks, the protection counts as lost. */
const maxFailedLooks = 3;
/** Another program may fight for years: the first changes and failures are logged, then only some. */
const maxLoggedEach = 5;
const thenLoggedEvery = 100;

function count(counts: Map<GuardedName, number>, name: GuardedName): number {
  const times = (counts.get(name) ?? 0) + 1;
  counts.set(name, times);
  return times;
}

const isLogged = (times: number) => times <= maxLoggedEach || times % thenLoggedEvery === 0;

export function createGuard(options: {
  ports: GuardedPorts;
  /** Runs a task when no other change of the system is in progress. */
  enqueue: (task: () => Promise<void>) => Promise<void>;
  /** Called when the list of what could not be restored changes; empty: everything is in force again. */
  onLost: (names: readonly GuardedName[]) => Promise<void>;
  log: Log;
}): Guard {
  const { ports, enqueue, onLost, log } = options;
  const names = Object.keys(ports) as GuardedName[];
  const restored = new Map<GuardedName, number>();
  const failed = new Map<GuardedName, number>();
  let stops: (() => void)[] = [];
  let isReviewDue = false;
  let retry: NodeJS.Timeout | undefined;
  const lost = new Set<GuardedName>();
  let failedLooks = 0;

  async function ensure(name: GuardedName): Promise<boolean> {
    const verdict = await putBack(name);
    if (verdict !== 'changed') lost.delete(name);
    else {
      lost.add(name);
      reviewLater();
    }
    return verdict === 'in-force';
  }

  function reviewLater(): void {
    retry ??= setTimeout(() => {
      retry = undefined;
      review();
    }, retryMs).unref();
  }

  async function putBack(name: GuardedName): Promise<Verdict> {
    const port = ports[name];
    // The second try is for changes that happen in between.
    for (let tries = 0; tries < 2; tries += 1) {
      const verdict = await port.verify();
      if (verdict !== 'changed') return verdict;
      try {
        await port.restore();
        const times = count(restored, name);
        if (isLogged(times))
          log.warn('others took away what protects traffic; it was put back', { what: name, times });
      } catch (error) {
        const times = count(failed, name);
        if (isLogged(times))
          log.error('what others took away could not be put back', error, { what: name, times });
      }
    }
    return await port.verify();
  }

  async function check(): Promise<GuardedName[]> {
    await Promise.all(names.map(ensure));
    return [...lost];
  }

  /** Rejects if the check fails, but only a few times in a row: what cannot be checked counts as not in force. */
  async function look(): Promise<GuardedName[]> {
    try {
      const missing = await check();
      failedLooks = 0;
      return missing;
    } catch (error) {
      failedLooks += 1;
      if (failedLooks < maxFailedLooks) throw error;
      for (const name of names) lost.add(name);
      reviewLater();
      return [...lost];
    }
  }

  /** Once for a burst of changes: a check that is waiting also covers later ones. */
  function review(): void {
    if (isReviewDue) return;
    isReviewDue = true;
    void enqueue(async () => {
      isReviewDue = false;
      if (stops.length === 0) return;
      const before = [...lost].sort().join();
      const missing = await look();
      if (missing.sort().join() !== before) await onLost(missing);
    }).catch((error: unknown) => {
      log.error('the protection could not be looked after', error);
      // There may be no further report about something that could not be checked now.
      if (stops.length > 0) reviewLater();
    });
  }

  return {
    start() {
      if (stops.length > 0) return;
      stops = names.map((name) =>
        ports[name].watch(() => {
          // Each failed attempt may itself cause a change report.
          if (retry === undefined) review();
        }),
      );
    },
    stop() {
      for (const stop of stops) stop();
      stops = [];
      lost.clear();
      failedLooks = 0;
      clearTimeout(retry);
      retry = undefined;
    },
    check,
    ensure,
  };
}
