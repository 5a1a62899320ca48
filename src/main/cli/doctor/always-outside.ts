import { localNetworks } from '#shared/tunnel/local-networks.ts';
import { isInsidePrefix } from '#shared/tunnel/prefix.ts';
import type { KernelRoute } from './system-view.ts';

/** Destinations that stay outside the tunnel in any mode: this machine, its neighbours and its containers. */
export const isAlwaysOutside = (
  { address, isThisMachine, isOnLink }: Pick<KernelRoute, 'address' | 'isThisMachine' | 'isOnLink'>,
  { localNetwork }: { localNetwork: boolean },
): boolean =>
  isThisMachine ||
  (isOnLink && (localNetwork || localNetworks.some((network) => isInsidePrefix(address, network))));
