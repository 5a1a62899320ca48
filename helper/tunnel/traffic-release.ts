import type { Log } from '../log.ts';
import type { ReleaseOptions, SystemAdapter } from '../system/system-adapter.ts';

/** Puts the system back after a connection, and knows what of its traffic is still blocked. */
export interface TrafficRelease {
  /** Traffic is still blocked although nothing runs; this was checked. */
  isBlocked: boolean;
  /** Traffic should be blocked, but is not. */
  readonly isUnprotected: boolean;
  /** Never rejects. */
  release(options: ReleaseOptions): Promise<void>;
}

export function createTrafficRelease(
  adapter: Pick<SystemAdapter, 'release' | 'verify'>,
  log: Log,
): TrafficRelease {
  let isUnprotected = false;
  const traffic: TrafficRelease = {
    isBlocked: false,
    get isUnprotected() {
      return isUnprotected;
    },
    async release(options) {
      isUnprotected = false;
      try {
        const { blocked } = await adapter.release(options);
        traffic.isBlocked = blocked;
      } catch (error) {
        // What is left is still in the journal, and is undone at the next start.
        log.error('the system could not be put back as it was', error);
        traffic.isBlocked = options.keepBlocking && (await adapter.verify().catch(() => false));
      }
      isUnprotected = options.keepBlocking && !traffic.isBlocked;
    },
  };
  return traffic;
}
