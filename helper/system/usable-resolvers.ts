import { BlockList } from 'node:net';
import { familyOf, isForbiddenAddress } from '../proxy/destination.ts';
import type { TunnelConfiguration } from '../tunnel/tunnel-configuration.ts';

/** Networks that are somebody's own (RFC 1918, RFC 6598, RFC 4193): through the tunnel nobody is there, or another. */
const privateNetworks = new BlockList();
privateNetworks.addSubnet('10.0.0.0', 8, 'ipv4');
privateNetworks.addSubnet('172.16.0.0', 12, 'ipv4');
privateNetworks.addSubnet('192.168.0.0', 16, 'ipv4');
privateNetworks.addSubnet('100.64.0.0', 10, 'ipv4');
privateNetworks.addSubnet('fc00::', 7, 'ipv6');

export interface ResolverCandidates {
  /** By the user, who wants no others asked. */
  own?: readonly string[];
  /** By the gateway. */
  pushed: readonly string[];
  /** By the user's route configuration. */
  fallback: readonly string[];
  /** What the machine asks without a tunnel; looked up only where it matters. */
  machine: () => Promise<readonly string[]>;
}

/**
 * The resolvers to be asked through the tunnel: the first of the candidates of which any can be; none if no one can.
 * Those of the machine can if they are public, since a private one is not on the other side of the tunnel. Where the user
 * has chosen, nobody else is asked.
 */
export async function usableResolvers(
  { own = [], pushed, fallback, machine }: ResolverCandidates,
  addresses: TunnelConfiguration['addresses'],
): Promise<string[]> {
  const isReachable = (server: string) =>
    addresses[familyOf(server)] !== undefined &&
    server !== addresses[familyOf(server)] &&
    !isForbiddenAddress(server);
  const isPublic = (server: string) => !privateNetworks.check(server, familyOf(server));
  if (own.length > 0) return [...new Set(own.filter(isReachable))];
  for (const candidates of [pushed, fallback]) {
    const usable = candidates.filter(isReachable);
    if (usable.length > 0) return [...new Set(usable)];
  }
  return [...new Set((await machine()).filter((server) => isPublic(server) && isReachable(server)))];
}
