import type { Family } from '../../network/prefix-list.ts';
import { tunnelDevice } from '../identifiers.ts';
import { findWay, type Way } from '../netlink/netlink-way.ts';

/**
 * Addresses of the internet, to which nothing is sent (RFC 5737, RFC 3849, RFC 9637). Several, since people number
 * their own networks with one of these, as Docker's manual does: what leads there leads nobody's other packets away.
 */
const anywhere: Readonly<Record<Family, readonly string[]>> = {
  4: ['192.0.2.1', '198.51.100.1', '203.0.113.1'],
  6: ['2001:db8::1', '3fff::1'],
};

/** Whether the kernel leads what is sent to the internet past the tunnel, by any of these IP versions. */
export async function leadsElsewhere(
  families: Iterable<Family>,
  find: (address: string) => Promise<Pick<Way, 'device'> | undefined> = findWay,
): Promise<boolean> {
  const found = await Promise.all(
    [...families].map(async (family) => await Promise.all(anywhere[family].map((address) => find(address)))),
  );
  // Without the tunnel's route, our rules lead nowhere; and some discard what is sent to one of these.
  return found.some((ways) => {
    const devices = ways.flatMap((way) => way?.device ?? []);
    return devices.length > 0 && !devices.includes(tunnelDevice);
  });
}
