import type { Log } from '../log.ts';
import type { Caller } from '../system/ports/caller-identity-port.ts';

const windowMs = 60_000;

/** How many warnings of each kind and user are logged in one window; the rest is only counted. */
const maxTold = 4;

/**
 * Warnings that callers can cause as often as they like. The first of a kind and user is logged at once; the others of
 * the same minute become one line with their number at its end.
 */
export type WarnOfCaller = (message: string, caller: Caller, problem?: string) => void;

export function createCallerLog(log: Log): WarnOfCaller {
  const repeated = new Map<string, { message: string; user: string; count: number }>();
  let others = 0;
  let window: NodeJS.Timeout | undefined;

  function closeWindow(): void {
    window = undefined;
    for (const { message, user, count } of repeated.values()) {
      if (count > 0) log.warn(message, { user, moreTimes: count });
    }
    if (others > 0) log.warn('callers were refused or let go', { moreTimes: others });
    repeated.clear();
    others = 0;
  }

  return (message, { user, pid }, problem) => {
    window ??= setTimeout(closeWindow, windowMs).unref();
    const key = `${user} ${message}`;
    const known = repeated.get(key);
    if (known) known.count += 1;
    else if (repeated.size >= maxTold) others += 1;
    else {
      repeated.set(key, { message, user, count: 0 });
      log.warn(message, { user, pid, problem });
    }
  };
}
