import { isInsidePrefix } from '#shared/tunnel/prefix.ts';
import type { NearbyNetworks } from '../system/ports.ts';

/** Which of the attached networks stay reachable outside the tunnel. */
export interface LocalExceptions {
  /** Whether private ones do. */
  exceptLocalNetworks: boolean;
  /** Then public ones do too that lie in one of these, which the user has named; without bits behind the prefix. */
  localPrefixes?: readonly string[];
}

/** In the words of a routing. */
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

/** The networks that are local by all of these, as prefixes. */
export function localNetworksOf(
  { local, attachedPublic }: Pick<NearbyNetworks, 'local' | 'attachedPublic'>,
  exceptions: readonly LocalExceptions[],
): string[] {
  const isAllowed = exceptions.length > 0 && exceptions.every((one) => one.exceptLocalNetworks);
  if (!isAllowed) return [];
  // Never what is wider than was named: neighbours and DHCP servers say what is attached.
  const named = attachedPublic.filter((attached) =>
    exceptions.every(({ localPrefixes = [] }) =>
      localPrefixes.some((prefix) => isInsidePrefix(attached, prefix)),
    ),
  );
  return [...local, ...named];
}
