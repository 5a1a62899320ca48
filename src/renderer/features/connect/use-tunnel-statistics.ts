import { useEffect, useState } from 'react';
import type { TunnelStatistics } from '#shared/tunnel/state.ts';
import { useHost } from '../../platform/host-context.tsx';
import { noTraffic, rateBetween } from './traffic-rate.ts';

const everySeconds = 1;

export interface TunnelTraffic {
  /** Bytes since the tunnel was made. */
  total: TunnelStatistics;
  /** Bytes per second, of as many of the last seconds as are drawn, the newest last. */
  rates: readonly TunnelStatistics[];
}

/** Seconds that are drawn. */
export const trafficSeconds = 60;

/** What goes through the tunnel, read only while the page can be seen. */
export function useTunnelStatistics(): TunnelTraffic | undefined {
  const host = useHost();
  const [shown, setShown] = useState<TunnelTraffic & { at: number }>();

  useEffect(() => {
    let ended = false;
    const read = async () => {
      if (document.visibilityState !== 'visible') return;
      const total = await host.tunnel.statistics().catch(() => null);
      if (ended || total === null) return;
      const at = performance.now();
      setShown((last) => {
        const rate = last ? rateBetween(last, { total, at }) : noTraffic;
        return { total, rates: [...(last?.rates ?? []), rate].slice(-trafficSeconds), at };
      });
    };
    void read();
    const timer = setInterval(() => void read(), everySeconds * 1000);
    return () => {
      ended = true;
      clearInterval(timer);
    };
  }, [host]);
  return shown;
}
