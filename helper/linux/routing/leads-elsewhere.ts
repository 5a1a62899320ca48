import type { Family } from '../../network/prefix-list.ts';
import { tunnelDevice } from '../identifiers.ts';
import { readTunnelTable } from '../netlink/netlink-state.ts';
import { findWay, type Way } from '../netlink/netlink-way.ts';

/**
 * Addresses of the internet, to which nothing is sent (RFC 5737, RFC 3849, RFC 9637). Several, since people number
 * their own networks with one of these, as Docker's manual does: what leads there leads nobody's other packets away.
 */
const anywhere: Readonly<Record<Family, readonly string[]>> = {
  4: ['192.0.2.1', '198.51.100.1', '203.0.113.1'],
  6: ['2001:db8::1', '3fff::1'],
};

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
