import { maxTimerMs } from '#shared/timer-limit.ts';

/** One timer for whoever has the next thing to do. */
export interface Alarm {
  /** Calls back at this time of `performance.now`, or earlier if that is wanted already. */
  by(time: number): void;
  stop(): void;
}

/**
 * `check` is given the time and by how much it is late, as after a suspension, and says when it wants to be called
 * next; `Infinity`: when `by` says so.
 */
export function createAlarm(check: (now: number, lateMs: number) => number): Alarm {
  let timer: NodeJS.Timeout | undefined;
  let due = Infinity;

  function by(time: number): void {
    if (time >= due) return;
    clearTimeout(timer);
    due = time;
    // Rung early, `check` says the same again.
    timer = setTimeout(ring, Math.min(Math.max(0, Math.ceil(time - performance.now())), maxTimerMs));
  }
  function ring(): void {
    const now = performance.now();
    const lateMs = now - due;
    due = Infinity;
    by(check(now, lateMs));
  }
  return {
    by,
    stop() {
      clearTimeout(timer);
      // Nothing is earlier.
      due = -Infinity;
    },
  };
}
