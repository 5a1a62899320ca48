import { isIPv6 } from 'node:net';
import { blockListOf } from '#node/network/block-list.ts';
import { findAddresses } from '../gateway/find-addresses.ts';
import type { ReachabilityTarget } from '#shared/helper/protocol.ts';
import { localNetworks } from '#shared/tunnel/local-networks.ts';

/** How many addresses of each IP version are remembered. */
const perFamily = 2;
/** The minimum time between two look-ups. */
const refreshAfterMs = 60_000;

/** Local and special-purpose networks: through a tunnel, these addresses are something else, or do not exist. */
const nearBy = blockListOf([
  ...localNetworks,
  '0.0.0.0/8',
  '127.0.0.0/8',
  '::/96',
  // IPv4, as the translator of a network without it has it (RFC 6052, RFC 8215).
  '64:ff9b::/96',
  '64:ff9b:1::/48',
]);
const isPublic = (address: string) => !nearBy.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');

/**
 * The service's addresses, with which the helper finds out whether a tunnel reaches the internet. They are looked up in
 * advance: while a tunnel is in progress, traffic is blocked, and look-ups with it.
 */
export interface ServiceAddresses {
  /** The last known addresses; empty if the service is not on the internet. */
  targets(): readonly ReachabilityTarget[];
  /** Looks the service up, unless that was done a moment ago. Never rejects. */
  refresh(): Promise<void>;
}

export function createServiceAddresses(
  apiUrl: string,
  find: (host: string) => Promise<string[]> = findAddresses,
): ServiceAddresses {
  const { protocol, hostname, port } = new URL(apiUrl);
  const host = hostname.replace(/^\[|\]$/g, '');
  const servicePort = port === '' ? (protocol === 'http:' ? 80 : 443) : Number(port);
  let found: ReachabilityTarget[] = [];
  let refreshedAt = -Infinity;
  return {
    targets: () => found,
    async refresh() {
      if (performance.now() - refreshedAt < refreshAfterMs) return;
      refreshedAt = performance.now();
      const addresses = (await find(host).catch((): string[] => [])).filter(isPublic);
      // A failed look-up does not invalidate the earlier result.
      if (addresses.length === 0) return;
      found = [addresses.filter((address) => !isIPv6(address)), addresses.filter(isIPv6)]
        .flatMap((family) => family.slice(0, perFamily))
        .map((address) => ({ address, port: servicePort }));
    },
  };
}
