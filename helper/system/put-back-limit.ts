/**
 * How often others' changes are reverted within which time, in milliseconds, before they are left alone for a while.
 */
const maxPutBacks = 6;
const perMs = 60_000;

/** Prevents an endless fight with a program that reverts our changes just as fast. */
export interface PutBackLimit {
  /** Asks to restore something. `count`: how often that was allowed so far; `waitMs`: how long to wait first, or 0. */
  take(): { count: number; waitMs: number };
  /** The delay before something that could not be restored is tried again. */
  readonly afterFailureMs: number;
}

export function createPutBackLimit(now: () => number = () => performance.now()): PutBackLimit {
  let recent: number[] = [];
  let count = 0;
  return {
    afterFailureMs: perMs / maxPutBacks,
    take() {
      recent = recent.filter((time) => time > now() - perMs);
      const [oldest] = recent;
      if (oldest !== undefined && recent.length >= maxPutBacks) {
        return { count, waitMs: Math.ceil(oldest + perMs - now()) };
      }
      recent.push(now());
      count += 1;
      return { count, waitMs: 0 };
    },
  };
}
