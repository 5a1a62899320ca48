/**
 * Calls back after a time, in milliseconds, also if the machine sleeps for a part of it. Node's own timers stand still
 * meanwhile, as the clock does that they go by (`CLOCK_MONOTONIC`, clock_gettime(2)): a day of a laptop that is open
 * for three hours would be eight. `lateMs`: how late it may be after a sleep; as often, the clock is looked at. One
 * that is set back delays nothing, one that is set forward ends the wait early. It keeps no process alive.
 */
export function afterTime(
  waitMs: number,
  act: () => void,
  { lateMs = 60_000 }: { lateMs?: number } = {},
): { stop(): void } {
  const passed = startWatch();
  let timer: NodeJS.Timeout | undefined;

  function look(): void {
    const passedMs = passed();
    if (passedMs >= waitMs) act();
    else timer = setTimeout(look, Math.ceil(Math.min(waitMs - passedMs, lateMs))).unref();
  }

  look();
  return { stop: () => clearTimeout(timer) };
}

/** Gives how long it has been running, in milliseconds, with the time that the machine sleeps; see `afterTime`. */
export function startWatch(): () => number {
  const begun = { wall: Date.now(), awake: performance.now() };
  return () => Math.max(Date.now() - begun.wall, performance.now() - begun.awake);
}
