import { anywhere } from '../../network/anywhere.ts';
import type { Family } from '../../network/prefix-list.ts';
import { tunnelDevice } from '../identifiers.ts';
import { readTunnelTable } from '../netlink/netlink-state.ts';
import { findWay, type Way } from '../netlink/netlink-way.ts';

/**
 * Whether the kernel leads what is sent to the internet past the tunnel, by any of these IP versions. `isLed`: whether
 * the tunnel has a route of this one.
 */
export async function leadsElsewhere(
  families: Iterable<Family>,
  find: (address: string) => Promise<Pick<Way, 'device'> | undefined> = findWay,
  isLed = async (family: Family) => (await readTunnelTable(family)).leads,
): Promise<boolean> {
  const found = await Promise.all(
    [...families].map(async (family) => ({
      // First, since a tunnel that comes up meanwhile is then found by the ways.
      refusesRest: !(await isLed(family)),
      ways: await Promise.all(anywhere[family].map((address) => find(address))),
    })),
  );
  return found.some(({ ways, refusesRest }) => {
    const devices = ways.flatMap((way) => way?.device ?? []);
    // Without the tunnel's route, ours refuse what others lead nowhere; otherwise, only others discard any of these.
    const isWhole = refusesRest ? devices.length === ways.length : devices.length > 0;
    return isWhole && !devices.includes(tunnelDevice);
  });
}
