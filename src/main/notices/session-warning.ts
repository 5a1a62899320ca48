import { sessionWarningMs } from '#shared/tunnel/session-warning.ts';
import type { TunnelState } from '#shared/tunnel/state.ts';
import { afterTime } from '../after-time.ts';

export interface SessionWarning {
  follow(state: TunnelState): void;
  stop(): void;
}

/** Warns some time before a gateway ends the session. */
export function createSessionWarning(options: {
  /** Whether the user is looking at the window, which says so by itself. */
  isInFront(): boolean;
  /** `endsAt`: milliseconds since the Unix epoch. */
  warn(endsAt: number): void;
  withdraw(): void;
}): SessionWarning {
  let wait: ReturnType<typeof afterTime> | undefined;
  let warnedAt = -Infinity;

  return {
    follow(state) {
      wait?.stop();
      if (state.state !== 'connected' || state.ownedByOther || state.terms?.endsAt === undefined)
        return options.withdraw();
      const { endsAt } = state.terms;
      const waitMs = endsAt - sessionWarningMs - Date.now();
      // Of one that is as short as that, users hear from its beginning, in the window.
      if (waitMs <= 0) return;
      wait = afterTime(waitMs, () => {
        if (options.isInFront() || endsAt <= Date.now()) return;
        // Each answer of the gateway may name another end.
        const now = performance.now();
        if (now < warnedAt + sessionWarningMs) return;
        warnedAt = now;
        options.warn(endsAt);
      });
    },
    stop: () => wait?.stop(),
  };
}
