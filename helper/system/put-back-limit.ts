/** How often others' changes are put back within which time, in milliseconds, before they are left alone for a while. */
const maxPutBacks = 6;
const perMs = 60_000;

/** Keeps us from a fight with somebody who puts back what is theirs just as soon. */
export interface PutBackLimit {
  /** Asks to put something back. `count`: how often that was allowed so far; `waitMs`: not before that, or 0. */
  take(): { count: number; waitMs: number };
  /** How long until something that could not be put back is tried again. */
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
