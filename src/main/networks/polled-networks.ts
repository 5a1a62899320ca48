import { isDeepStrictEqual } from 'node:util';
import { createListeners } from '../listeners.ts';
import type { NetworkInUse, Networks } from './networks.ts';

/** A look takes little, and misses nothing that happens while the machine sleeps. */
const usualPauseMs = 10_000;
/** How long it counts what the system has said of a network being metered. */
const answerLastsMs = 600_000;

export interface PolledNetworksOptions {
  pauseMs?: number;
  /** Asks the system whether the network in use is metered, where `read` does not say so. */
  isMetered?: () => Promise<boolean>;
}

/**
 * A system's networks, which are looked at again and again. `read` resolves with the current one, or with undefined if
 * the system does not say; a look that fails counts as that.
 */
export function createPolledNetworks(
  read: () => Promise<NetworkInUse | undefined>,
  { pauseMs = usualPauseMs, isMetered }: PolledNetworksOptions = {},
): Networks {
  const listeners = createListeners<NetworkInUse | undefined>();
  let known: NetworkInUse | undefined;
  let first: Promise<void> | undefined;
  let pause: NodeJS.Timeout | undefined;
  let isClosed = false;
  let asked: { id: string; at: number; answer: Promise<boolean> } | undefined;

  async function look(): Promise<void> {
    const before = known;
    known = await read().catch(() => undefined);
    if (isClosed) return;
    pause = setTimeout(() => void look(), pauseMs).unref();
    if (!isDeepStrictEqual(known, before)) listeners.emit(known);
  }

  return {
    async watch() {
      first ??= look();
      await first;
      return known;
    },
    async isMetered() {
      const now = known ?? (await read().catch(() => undefined));
      // What leads into somebody's phone, whatever the system says.
      if (now?.isMetered === true) return true;
      if (!now || !isMetered) return false;
      // Asking takes a program, and users change this of a network only now and then.
      const at = performance.now();
      if (asked?.id !== now.id || at > asked.at + answerLastsMs)
        asked = { id: now.id, at, answer: isMetered().catch(() => false) };
      return await asked.answer;
    },
    onChange: (listener) => listeners.add(listener),
    close() {
      isClosed = true;
      clearTimeout(pause);
    },
  };
}
