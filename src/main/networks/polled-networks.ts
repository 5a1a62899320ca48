import { isDeepStrictEqual } from 'node:util';
import { createListeners } from '../listeners.ts';
import type { NetworkInUse, Networks } from './networks.ts';

/** A look takes little, and misses nothing that happens while the machine sleeps. */
const usualPauseMs = 10_000;

/**
 * A system's networks, which are looked at again and again. `read` resolves with the current one, or with undefined if the
 * system does not say; a look that fails counts as that.
 */
export function createPolledNetworks(
  read: () => Promise<NetworkInUse | undefined>,
  { pauseMs = usualPauseMs }: { pauseMs?: number } = {},
): Networks {
  const listeners = createListeners<NetworkInUse | undefined>();
  let known: NetworkInUse | undefined;
  let first: Promise<void> | undefined;
  let pause: NodeJS.Timeout | undefined;
  let isClosed = false;

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
    // What leads into somebody's phone: these systems tell our programs of no other network whether it is metered.
    isMetered: async () => (known ?? (await read().catch(() => undefined)))?.network.kind === 'other',
    onChange: (listener) => listeners.add(listener),
    close() {
      isClosed = true;
      clearTimeout(pause);
    },
  };
}
