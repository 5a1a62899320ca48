import { isInsidePrefix } from '#shared/tunnel/prefix.ts';
import { isPrivateAddress } from '../far-side/is-private-address.ts';

/**
 * Those addresses of another computer that stay reachable with access to the local network: private ones, of a network
 * that this computer is attached to. What is private behind a router belongs in the tunnel. `networks`: prefixes, which
 * may have bits after them.
 */
export const localNeighbours = (addresses: readonly string[], networks: readonly string[]): string[] =>
  addresses.filter(
    (address) => isPrivateAddress(address) && networks.some((network) => isInsidePrefix(address, network)),
  );
