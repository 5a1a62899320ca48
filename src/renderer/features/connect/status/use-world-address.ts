import { useEffect, useState } from 'react';
import type { TunnelState } from '#shared/tunnel/state.ts';
import { useHost } from '../../../platform/host-context.tsx';

/** The address that others see through this tunnel, requested while the page is visible; undefined if not known. */
export function useWorldAddress(state: Extract<TunnelState, { state: 'connected' }>): string | undefined {
  const host = useHost();
  const connection = `${state.gateway.host} ${state.gateway.port} ${state.since} ${state.routing.mode}`;
  const [known, setKnown] = useState<{ connection: string; address: string | null }>();

  useEffect(() => {
    let ended = false;
    const ask = async () => {
      // An earlier version of the app does not have this request.
      const address = await host.worldAddress.get().catch(() => null);
      if (!ended) setKnown({ connection, address });
    };
    const askIfSeen = () => {
      if (document.visibilityState !== 'visible') return;
      document.removeEventListener('visibilitychange', askIfSeen);
      void ask();
    };
    document.addEventListener('visibilitychange', askIfSeen);
    askIfSeen();
    return () => {
      ended = true;
      document.removeEventListener('visibilitychange', askIfSeen);
    };
  }, [host, connection]);
  return known?.connection === connection ? (known.address ?? undefined) : undefined;
}
