import { lookup } from 'node:dns/promises';
import { BlockList, isIPv6 } from 'node:net';
import type { ReachabilityTarget } from '#shared/helper/protocol.ts';

/** Of each IP version, as many as are remembered. */
const perFamily = 2;
/** No look-up sooner after the one before. */
const refreshAfterMs = 60_000;

/** Networks that are near by or nobody's in particular: through a tunnel they are others, or nowhere. */
const nearBy = new BlockList();
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
] as const) {
  nearBy.addSubnet(network, prefix, 'ipv4');
}
const nearBy6 = new BlockList();
for (const [network, prefix] of [
  ['::', 96],
  ['fc00::', 7],
  ['fe80::', 10],
] as const) {
  nearBy6.addSubnet(network, prefix, 'ipv6');
}
const isPublic = (address: string) =>
  isIPv6(address) ? !nearBy6.check(address, 'ipv6') : !nearBy.check(address, 'ipv4');

/**
 * Where the service is, for the helper to find out by it whether a tunnel reaches the internet. Looked up beforehand:
 * while a tunnel is being made traffic is blocked, and names with it.
 */
export interface ServiceAddresses {
  /** Those that were found last; none if the service is not on the internet. */
  targets(): readonly ReachabilityTarget[];
  /** Looks the service up unless that was done a moment ago. Never rejects. */
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
      // A look-up that failed says nothing against what the one before has found.
      if (addresses.length === 0) return;
      found = [addresses.filter((address) => !isIPv6(address)), addresses.filter(isIPv6)]
        .flatMap((family) => family.slice(0, perFamily))
        .map((address) => ({ address, port: servicePort }));
    },
  };
}

async function findAddresses(host: string): Promise<string[]> {
  const found = await lookup(host, { all: true });
  return found.map(({ address }) => address).filter((address) => !address.includes('%'));
}
