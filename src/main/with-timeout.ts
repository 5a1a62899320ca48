import { setTimeout as delay } from 'node:timers/promises';

/** The result of `work`, or `late` if it takes longer than `milliseconds`; the work itself continues. */
export async function withTimeout<Value, Late>(
  work: Promise<Value>,
  milliseconds: number,
  late: Late,
): Promise<Value | Late> {
  const timer = new AbortController();
  const tooLate = delay(milliseconds, late, { signal: timer.signal, ref: false });
  // It is aborted below if the work was in time.
  tooLate.catch(() => undefined);
  try {
    return await Promise.race([work, tooLate]);
  } finally {
    timer.abort();
  }
}
