import { isInsidePrefix } from '#shared/tunnel/prefix.ts';
import type { NearbyNetworks } from '../network/nearby-networks.ts';

/** Which attached networks stay reachable outside the tunnel. */
export interface LocalExceptions {
  /** Whether private networks do. */
  exceptLocalNetworks: boolean;
  /**
   * Then public networks do, too, if they are inside one of these, which the user has named; no bits are set after the
   * prefix.
   */
  localPrefixes?: readonly string[];
}

/** The fields of a routing as exceptions. */
export const localExceptions = ({
  localNetwork,
  localPrefixes = [],
}: {
  localNetwork: boolean;
  localPrefixes?: readonly string[] | undefined;
}): LocalExceptions => ({
  exceptLocalNetworks: localNetwork,
  ...(localNetwork && localPrefixes.length > 0 && { localPrefixes }),
});

/** The networks that are local according to all of these, as prefixes. */
export function localNetworksOf(
  { local, attachedPublic }: Pick<NearbyNetworks, 'local' | 'attachedPublic'>,
  exceptions: readonly LocalExceptions[],
): string[] {
  const isAllowed = exceptions.length > 0 && exceptions.every((one) => one.exceptLocalNetworks);
  if (!isAllowed) return [];
  // Never anything wider than what was named: neighbours and DHCP servers decide what is attached.
  const named = attachedPublic.filter((attached) =>
    exceptions.every(({ localPrefixes = [] }) =>
      localPrefixes.some((prefix) => isInsidePrefix(attached, prefix)),
    ),
  );
  return [...local, ...named];
}
