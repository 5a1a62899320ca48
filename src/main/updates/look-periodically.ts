import { pauseAfter, spread } from '#shared/back-off.ts';
import { afterTime } from '../after-time.ts';

export interface LookingOptions {
  /** False if it has to be tried again; does not reject. */
  look: () => Promise<boolean>;
  /** Whether there is a network that lets anything out. */
  isOnline: () => boolean;
  /** Something from 0 to below 1, each time. */
  random?: () => number;
}

const minuteMs = 60_000;
/** Who starts the app at the same hour does not ask in the same minute. */
const firstMs = 5 * minuteMs;
const usualMs = 24 * 60 * minuteMs;
const offlineMs = 15 * minuteMs;
const backOff = { firstMs: 30 * minuteMs, maxMs: usualMs };
const share = [0.5, 1.5] as const;
/** After a sleep. */
const lateMs = 15 * minuteMs;

/** Looks some minutes after the start, then once a day, more often after a failure, and never without a network. */
export function lookPeriodically({ look, isOnline, random }: LookingOptions): { stop(): void } {
  let waiting: ReturnType<typeof afterTime> | undefined;
  let failures = 0;
  let isStopped = false;
  const wait = (pauseMs: number): void => {
    if (!isStopped) waiting = afterTime(spread(pauseMs, share, random), () => void take(), { lateMs });
  };

  async function take(): Promise<void> {
    if (!isOnline()) return wait(offlineMs);
    failures = (await look()) ? 0 : failures + 1;
    wait(failures === 0 ? usualMs : pauseAfter(failures, backOff));
  }

  wait(firstMs);
  return {
    stop() {
      isStopped = true;
      waiting?.stop();
    },
  };
}
