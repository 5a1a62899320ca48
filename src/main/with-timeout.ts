import { setTimeout as delay } from 'node:timers/promises';

/** What `work` gives, or `late` if it takes longer than `milliseconds`; the work itself goes on. */
export async function withTimeout<Value, Late>(
  work: Promise<Value>,
  milliseconds: number,
  late: Late,
): Promise<Value | Late> {
  const timer = new AbortController();
  const tooLate = delay(milliseconds, late, { signal: timer.signal, ref: false });
  // Aborted below when the work was in time.
  tooLate.catch(() => undefined);
  try {
    return await Promise.race([work, tooLate]);
  } finally {
    timer.abort();
  }
}
