import { setTimeout as delay } from 'node:timers/promises';
import { systemClocks, type Clocks } from '../clocks.ts';

export interface IdleWatchOptions {
  /** After so long without a packet, the gateway ends the session, in milliseconds. */
  idleMs: number;
  /** How much has passed through the tunnel, in any unit that only grows. */
  used: () => number;
  /**
   * When the session is going to end, in milliseconds since the Unix epoch, from shortly before; undefined: not soon.
   */
  onIdle: (endsAt: number | undefined) => void;
  signal: AbortSignal;
  clocks?: Clocks;
}

/** The user is told so long before, or in the second half of a short limit. */
const warningMs = 120_000;
const lookEveryMs = 20_000;
/** While the user is told, what they do about it is to be seen. */
const lookOftenMs = 2_000;

/**
 * Notices that a session is about to end because nobody uses it, whatever the computer's clock is set to. Ends only
 * when the signal is aborted.
 */
export async function watchIdle({
  idleMs,
  used,
  onIdle,
  signal,
  clocks = systemClocks,
}: IdleWatchOptions): Promise<never> {
  const warnAfterMs = idleMs - Math.min(warningMs, idleMs / 2);
  const rareMs = Math.min(lookEveryMs, idleMs / 10);
  let before = used();
  let [since, lookedAt] = [clocks.boot(), clocks.boot()];
  let isTold = false;
  for (;;) {
    const left = since + warnAfterMs - clocks.boot();
    const wait = isTold ? Math.min(lookOftenMs, rareMs) : Math.min(rareMs, Math.max(left, 100));
    await delay(wait, undefined, { signal, ref: false });
    const now = used();
    // It was used at some time after the last look: rather a bit early than too late.
    if (now !== before) since = lookedAt;
    before = now;
    lookedAt = clocks.boot();
    const isNear = lookedAt >= since + warnAfterMs;
    if (isNear || isTold) onIdle(isNear ? clocks.wall() + since + idleMs - lookedAt : undefined);
    isTold = isNear;
  }
}
