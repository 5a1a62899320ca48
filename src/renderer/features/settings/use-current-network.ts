import { useEffect, useState } from 'react';
import type { CurrentNetwork } from '#shared/networks.ts';
import { useHost } from '../../platform/host-context.tsx';

/** The computer's network; null: its system does not say; undefined: not known yet, or not wanted. */
export function useCurrentNetwork(isWanted: boolean): CurrentNetwork | null | undefined {
  const host = useHost();
  const [network, setNetwork] = useState<CurrentNetwork | null>();
  useEffect(() => {
    if (!isWanted) return undefined;
    let isTold = false;
    const unsubscribe = host.networks.changed((now) => {
      isTold = true;
      setNetwork(now);
    });
    host.networks.current().then(
      (now) => {
        if (!isTold) setNetwork(now);
      },
      () => setNetwork(null),
    );
    return unsubscribe;
  }, [host, isWanted]);
  return network;
}
