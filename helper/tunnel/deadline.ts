import type { Deadline } from '#shared/helper/protocol.ts';
import { systemClocks, type Clocks } from '../clocks.ts';

/** Node's timers stop while the machine is suspended, so none runs longer than this. */
const maxSliceMs = 60_000;

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
      const start = clocks.boot();
      const left = deadline.at - clocks.wall();
      const check = () => {
        // Whatever somebody sets the other clock to, the time that is left is the same.
        const elapsed = clocks.boot() - start;
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
