import { setTimeout as delay } from 'node:timers/promises';
import { untilHandled } from '#node/wait-to-the-end.ts';

/**
 * The result of `work`, or `late` if it takes longer than `milliseconds`; the work itself continues. What was there in
 * time counts, even if this process could not look.
 */
export async function withTimeout<Value, Late>(
  work: Promise<Value>,
  milliseconds: number,
  late: Late,
): Promise<Value | Late> {
  const timer = new AbortController();
  const tooLate = (async () => {
    await delay(milliseconds, undefined, { signal: timer.signal, ref: false });
    await untilHandled();
    return late;
  })();
  // It is aborted below if the work was in time.
  tooLate.catch(() => undefined);
  try {
    return await Promise.race([work, tooLate]);
  } finally {
    timer.abort();
  }
}
