import { useEffect, useState } from 'react';
import type { TunnelStatistics } from '#shared/tunnel/state.ts';
import { useHost } from '../../../platform/host-context.tsx';
import { whileVisible } from '../../../platform/while-visible.ts';
import { noTraffic, rateBetween } from './traffic-rate.ts';

const everySeconds = 1;

export interface TunnelTraffic {
  /** Bytes since the tunnel was established. */
  total: TunnelStatistics;
  /** Bytes per second for the seconds that are drawn, newest last. */
  rates: readonly TunnelStatistics[];
}

/** How many seconds are drawn. */
export const trafficSeconds = 60;

/** The tunnel's traffic, only read while the page is visible. */
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
    const endReading = whileVisible({ everyMs: everySeconds * 1000, action: () => void read() });
    return () => {
      ended = true;
      endReading();
    };
  }, [host]);
  return shown;
}
