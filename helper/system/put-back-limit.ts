import { pauseAfter } from '#shared/back-off.ts';

/** How often others' changes are reverted at once, before there is a pause. */
const maxAtOnce = 6;
/** In milliseconds. */
const backOff = { firstMs: 1_000, maxMs: 60_000 } as const;
/** Without a change for so long, counting begins anew. */
const quietMs = 60_000;

/** Prevents an endless fight with a program that reverts our changes just as fast. */
export interface PutBackLimit {
  /** Asks to restore something. `count`: how often that was allowed so far; `waitMs`: how long to wait first, or 0. */
  take(): { count: number; waitMs: number };
  /** The delay before something that could not be restored is tried again. */
  readonly afterFailureMs: number;
}

export function createPutBackLimit(now: () => number = () => performance.now()): PutBackLimit {
  let count = 0;
  let last = -Infinity;
  let atOnce = 0;
  /** How many pauses in a row there were, and the last of them. */
  let [pauses, pauseMs] = [0, 0];
  let notBefore: number | undefined;
  return {
    afterFailureMs: 10_000,
    take() {
      const time = now();
      if (time - last > Math.max(quietMs, 2 * pauseMs))
        [atOnce, pauses, pauseMs, notBefore] = [0, 0, 0, undefined];
      if (atOnce >= maxAtOnce && notBefore === undefined) {
        pauses += 1;
        pauseMs = pauseAfter(pauses, backOff);
        notBefore = time + pauseMs;
      }
      if (notBefore !== undefined && time < notBefore) return { count, waitMs: Math.ceil(notBefore - time) };
      [notBefore, last] = [undefined, time];
      atOnce += 1;
      count += 1;
      return { count, waitMs: 0 };
    },
  };
}
