import { blockListOf } from '#node/network/block-list.ts';
import { privateNetworks } from '#shared/tunnel/local-networks.ts';
import { familyOf, isForbiddenAddress } from '../proxy/destination.ts';
import type { TunnelConfiguration } from '../network/tunnel-configuration.ts';

/** Through the tunnel, these addresses are something else, or do not exist. */
const elsewhere = blockListOf(privateNetworks);

export interface ResolverCandidates {
  /** Set by the user, who wants no others to be asked. */
  own?: readonly string[];
  /** Set by the gateway. */
  pushed: readonly string[];
  /** The machine's resolvers without a tunnel; only looked up if they matter. */
  machine: () => Promise<readonly string[]>;
}

/**
 * The resolvers to ask through the tunnel: those of the gateway, else the machine's; empty if none is usable. The
 * machine's own resolvers are usable if they are public, because a private one is not at the other end of the tunnel.
 * If the user has chosen resolvers, no others are asked.
 */
export async function usableResolvers(
  { own = [], pushed, machine }: ResolverCandidates,
  addresses: TunnelConfiguration['addresses'],
): Promise<string[]> {
  const isReachable = (server: string) =>
    addresses[familyOf(server)] !== undefined &&
    server !== addresses[familyOf(server)] &&
    !isForbiddenAddress(server);
  const isPublic = (server: string) => !elsewhere.check(server, familyOf(server));
  if (own.length > 0) return [...new Set(own.filter(isReachable))];
  const usable = pushed.filter(isReachable);
  if (usable.length > 0) return [...new Set(usable)];
  return [...new Set((await machine()).filter((server) => isPublic(server) && isReachable(server)))];
}
