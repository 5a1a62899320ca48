/** How late it may be after the machine has slept, in milliseconds. */
const sliceMs = 60_000;

/**
 * Calls back after a time, in milliseconds, also if the machine sleeps for a part of it. Node's own timers stand still
 * meanwhile, as the clock does that they go by (`CLOCK_MONOTONIC`, clock_gettime(2)): a day of a laptop that is open for
 * three hours would be eight. A clock that is set back delays nothing, one that is set forward ends the wait early. It keeps
 * no process alive.
 */
export function afterTime(waitMs: number, act: () => void): { stop(): void } {
  const begun = { wall: Date.now(), awake: performance.now() };
  let timer: NodeJS.Timeout | undefined;

  function look(): void {
    const passed = Math.max(Date.now() - begun.wall, performance.now() - begun.awake);
    if (passed >= waitMs) act();
    else timer = setTimeout(look, Math.min(waitMs - passed, sliceMs)).unref();
  }

  look();
  return { stop: () => clearTimeout(timer) };
}
