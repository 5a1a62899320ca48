import { isDeepStrictEqual } from 'node:util';
import { createListeners } from '../../listeners.ts';
import type { RunProgram } from '../../run-program.ts';
import type { NetworkInUse, Networks } from '../networks.ts';
import { readNetwork, type KnownNetwork } from './read-network.ts';

/** A look is a few short programs, and misses nothing that happens while the machine sleeps. */
const usualPauseMs = 10_000;

/**
 * The networks of macOS, by its own programs: what tells of changes there is a framework that only programs with access to
 * locations get names from.
 */
export function createMacosNetworks(
  run: RunProgram,
  { pauseMs = usualPauseMs }: { pauseMs?: number } = {},
): Networks {
  const listeners = createListeners<NetworkInUse | undefined>();
  let known: KnownNetwork | undefined;
  let first: Promise<void> | undefined;
  let pause: NodeJS.Timeout | undefined;
  let isClosed = false;

  async function look(): Promise<void> {
    const before = known?.network;
    known = await readNetwork(run, known);
    if (isClosed) return;
    pause = setTimeout(() => void look(), pauseMs).unref();
    if (!isDeepStrictEqual(known?.network, before)) listeners.emit(known?.network);
  }

  return {
    async watch() {
      first ??= look();
      await first;
      return known?.network;
    },
    // What leads into somebody's phone; macOS tells programs of no other network whether it is metered.
    isMetered: async () => (known ?? (await readNetwork(run)))?.network.network.kind === 'other',
    onChange: (listener) => listeners.add(listener),
    close() {
      isClosed = true;
      clearTimeout(pause);
    },
  };
}
