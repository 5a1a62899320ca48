import { createAdapterReader } from './network-adapters.ts';
import { createWirelessReader } from './wireless.ts';
import type { RunProgram } from '../../run-program.ts';
import type { Networks } from '../networks.ts';
import { createPolledNetworks } from '../polled-networks.ts';
import { isMetered } from './metered.ts';
import { readNetwork, type WindowsNetworks } from './read-network.ts';

/** `libraries`: tests put doubles in the place of Windows' own. */
export function createWindowsNetworks(
  run: RunProgram,
  libraries: { adapters?: string; wireless?: string; pauseMs?: number } = {},
): Networks {
  const { pauseMs } = libraries;
  let windows: WindowsNetworks | undefined;
  return createPolledNetworks(
    async () => {
      windows ??= {
        adapters: createAdapterReader(libraries.adapters),
        joined: wirelessReader(libraries.wireless),
      };
      return readNetwork(windows);
    },
    { ...(pauseMs !== undefined && { pauseMs }), isMetered: () => isMetered(run) },
  );
}

/** Windows Server has no such library unless it was added. */
function wirelessReader(library: string | undefined): WindowsNetworks['joined'] {
  try {
    return createWirelessReader(library);
  } catch {
    return () => undefined;
  }
}
