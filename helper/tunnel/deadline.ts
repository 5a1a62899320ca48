import { uptime } from 'node:os';
import type { Deadline } from '#shared/helper/protocol.ts';

/** Node's timers stop while the machine is suspended, so none runs longer than this. */
const maxSliceMs = 60_000;

/** In milliseconds. */
export interface Clocks {
  /** The time that the user sees and may set. */
  wall(): number;
  /** Since the machine was booted, including suspension. */
  boot(): number;
}

const systemClocks: Clocks = { wall: () => Date.now(), boot: () => uptime() * 1000 };

/** The time at which a connection has to end. */
export interface ConnectionDeadline {
  /** Replaces the previous one; `onReached` is called once, immediately if the time has already passed. */
  set(deadline: Deadline | undefined): void;
}

export function createConnectionDeadline(
  onReached: (reason: Deadline['reason']) => void,
  clocks: Clocks = systemClocks,
): ConnectionDeadline {
  let timer: NodeJS.Timeout | undefined;

  return {
    set(deadline) {
      clearTimeout(timer);
      if (!deadline) return;
      const start = { wall: clocks.wall(), boot: clocks.boot() };
      const left = deadline.at - start.wall;
      const check = () => {
        // By the faster of the two clocks: setting one back gains no time.
        const elapsed = Math.max(clocks.wall() - start.wall, clocks.boot() - start.boot);
        if (elapsed >= left) {
          onReached(deadline.reason);
          return;
        }
        timer = setTimeout(check, Math.min(left - elapsed, maxSliceMs));
        timer.unref();
      };
      check();
    },
  };
}
