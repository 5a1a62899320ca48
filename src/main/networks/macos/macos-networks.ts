import type { RunProgram } from '../../run-program.ts';
import type { Networks } from '../networks.ts';
import { createPolledNetworks } from '../polled-networks.ts';
import { readNetwork, type KnownNetwork } from './read-network.ts';

/**
 * The networks of macOS, by its own programs: what tells of changes there is a framework that only programs with access
 * to locations get names from.
 */
export function createMacosNetworks(run: RunProgram, options: { pauseMs?: number } = {}): Networks {
  let known: KnownNetwork | undefined;
  return createPolledNetworks(async () => {
    known = await readNetwork(run, known);
    return known?.network;
  }, options);
}
