import { isIPv6 } from 'node:net';
import { z } from 'zod';
import type { RunCommand } from './command.ts';
import { tunnelDevice } from './identifiers.ts';
import { shortestPrefix } from './nearby-networks.ts';

const devices = z.array(
  z.object({
    ifname: z.string(),
    addr_info: z.array(z.object({ local: z.string().optional(), prefixlen: z.number().optional() })),
  }),
);

/**
 * The networks that this machine has addresses in, as prefixes, but for the tunnel's. Not what the routing table calls
 * attached: that is what neighbours say it is.
 */
export async function attachedNetworks(run: RunCommand): Promise<string[]> {
  const { status, stdout } = await run('ip', ['-json', 'address', 'show']);
  if (status !== 0) return [];
  return devices
    .parse(JSON.parse(stdout))
    .filter(({ ifname }) => ifname !== tunnelDevice)
    .flatMap(({ addr_info: addresses }) =>
      addresses.flatMap(({ local, prefixlen }) =>
        local === undefined || prefixlen === undefined ? [] : [attachedPrefix(local, prefixlen)],
      ),
    );
}

/** A lease may say that half the internet is attached; then the machine has that address, and no network. */
function attachedPrefix(address: string, length: number): string {
  const [shortest, host] = isIPv6(address) ? [shortestPrefix.ipv6, 128] : [shortestPrefix.ipv4, 32];
  return `${address}/${length < shortest ? host : length}`;
}
