import { useEffect, useState } from 'react';
import type { TunnelStatistics } from '#shared/tunnel/state.ts';
import { useHost } from '../../platform/host-context.tsx';
import { noTraffic, rateBetween } from './traffic-rate.ts';

const everySeconds = 1;

/** Bytes through the tunnel since it was made, and per second; read only while the page can be seen. */
export function useTunnelStatistics(): { total: TunnelStatistics; rate: TunnelStatistics } | undefined {
  const host = useHost();
  const [shown, setShown] = useState<{ total: TunnelStatistics; rate: TunnelStatistics; at: number }>();

  useEffect(() => {
    let ended = false;
    const read = async () => {
      if (document.visibilityState !== 'visible') return;
      const total = await host.tunnel.statistics().catch(() => null);
      if (ended || total === null) return;
      const at = performance.now();
      setShown((last) => ({ total, rate: last ? rateBetween(last, { total, at }) : noTraffic, at }));
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
