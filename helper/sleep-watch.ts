import { systemClocks, type Clocks } from './clocks.ts';

/** How often the clock is looked at, in milliseconds. */
const lookMs = 5_000;
/** A look that comes so much later means that the machine has slept. Busy machines are some seconds late. */
const sleptMs = 30_000;
/** What tells of the same wake-up in two ways does so within this time, in milliseconds. */
const sameWakeMs = 20_000;

/** Notices that the machine has slept: because the system says so, or because the clock has gone on meanwhile. */
export interface SleepWatch {
  /** Calls back soon after each wake-up, once. */
  start(onWoken: () => void): void;
  /** The system says that the machine has woken up. */
  woken(): void;
}

/**
 * Not every sleep is told of: in Modern Standby, Windows is awake for some seconds again and again, and what it says
 * then can get lost. A wall clock would not do, since people and time servers set it.
 */
export function createSleepWatch(clocks: Clocks = systemClocks): SleepWatch {
  let listener: (() => void) | undefined;
  let lookedAt = clocks.boot();
  let wokenAt = -Infinity;

  function woken(): void {
    const now = clocks.boot();
    lookedAt = now;
    if (now - wokenAt < sameWakeMs) return;
    wokenAt = now;
    listener?.();
  }

  function look(): void {
    const slept = clocks.boot() - lookedAt - lookMs;
    lookedAt = clocks.boot();
    if (slept >= sleptMs) woken();
  }

  return {
    start(onWoken) {
      if (listener) throw new Error('the sleep is watched already');
      listener = onWoken;
      lookedAt = clocks.boot();
      setInterval(look, lookMs).unref();
    },
    woken,
  };
}
