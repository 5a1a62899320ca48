import type { LossCause } from '#shared/tunnel/connection-log.ts';
import { createRunProgram } from '../run-program.ts';
import { networkLinks, wifiAmong, type Link } from './network-links.ts';

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

/** Those of this system, unless a test has others. `findWifi`: which of these devices are Wi-Fi; never rejects. */
export function createLossWatch({
  links = networkLinks,
  findWifi = (names) => wifiAmong(names, createRunProgram()),
}: {
  links?: () => readonly Link[];
  findWifi?: (names: readonly string[]) => Promise<readonly string[]>;
} = {}): LossWatch {
  let before: readonly Link[] = [];
  /** Those of the devices before, as far as it is known yet: macOS takes a moment to say. */
  let wifi: readonly string[] = [];
  let asleepUntil = -Infinity;
  return {
    up() {
      const found = links();
      before = found;
      // They have to be asked for while they are there.
      void findWifi(found.map(({ name }) => name)).then((names) => {
        if (before === found) wifi = names;
      });
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
      if (gone.some(({ name }) => wifi.includes(name))) return 'wifi-gone';
      if (gone.length > 0 && now.length === 0) return 'network-gone';
      const isSame = before.every(({ name, addresses }) =>
        now.some((link) => link.name === name && addresses.some((one) => link.addresses.includes(one))),
      );
      return isSame ? 'server-silent' : 'network-changed';
    },
  };
}
