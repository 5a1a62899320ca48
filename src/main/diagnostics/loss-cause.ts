import type { LossCause } from '#shared/tunnel/connection-log.ts';
import { networkLinks, type Link } from './network-links.ts';

/** Finds out why a tunnel was lost, by what has changed in the computer's networks since it came up. */
export interface LossWatch {
  /** The tunnel came up: the networks at this moment are the reference. */
  up(): void;
  /** The computer goes to sleep, or wakes up. */
  slept(): void;
  woke(): void;
  cause(): LossCause;
}

/** After waking up, a tunnel that did not survive the sleep is noticed within this time. */
const wakingMs = 60_000;

export function createLossWatch(links: () => readonly Link[] = networkLinks): LossWatch {
  let before: readonly Link[] = [];
  let asleepUntil = -Infinity;
  return {
    up() {
      before = links();
    },
    slept() {
      asleepUntil = Infinity;
    },
    woke() {
      asleepUntil = performance.now() + wakingMs;
    },
    cause() {
      if (performance.now() < asleepUntil) return 'asleep';
      const now = links();
      const gone = before.filter(({ name }) => !now.some((link) => link.name === name));
      if (gone.some(({ isWifi }) => isWifi)) return 'wifi-gone';
      if (gone.length > 0 && now.length === 0) return 'network-gone';
      const isSame = before.every(({ name, addresses }) =>
        now.some((link) => link.name === name && addresses.some((one) => link.addresses.includes(one))),
      );
      return isSame ? 'server-silent' : 'network-changed';
    },
  };
}
