import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../log.ts';

/** One that only starts, ends or restores is waited for, also on a slow machine; the unit for systemd allows more. */
export const otherHelperMs = 60_000;
const everyMs = 50;

/**
 * Resolves when this process alone may change the system, which is so until it ends: two helpers would undo each
 * other's work. Rejects if a helper is running, or after some time.
 */
export async function becomeOnlyHelper(options: {
  /** Resolves with false if another process has the lock. */
  lock: () => Promise<boolean>;
  /** Rejects if a helper that runs says so. */
  expectNoOtherHelper: () => Promise<void>;
  log: Log;
}): Promise<void> {
  const { lock, expectNoOtherHelper, log } = options;
  const giveUpAt = performance.now() + otherHelperMs;
  for (let isFirst = true; ; isFirst = false) {
    await expectNoOtherHelper();
    try {
      if (await lock()) return;
    } catch (error) {
      // As where its file system is read-only or full. Users who are cut off need a helper nevertheless.
      log.error('the state directory cannot be locked', error);
      return;
    }
    if (isFirst) log.info('waiting for another helper, which has locked the state directory');
    if (performance.now() > giveUpAt) throw new Error('another helper has locked the state directory');
    await delay(everyMs);
  }
}
