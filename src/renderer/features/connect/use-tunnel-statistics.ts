import { useEffect, useState } from 'react';
import type { TunnelStatistics } from '#shared/tunnel/state.ts';
import { useHost } from '../../platform/host-context.tsx';

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
      setShown((last) => ({ total, rate: last ? rateBetween(last, { total, at }) : zero, at }));
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

interface Reading {
  total: TunnelStatistics;
  /** Milliseconds on a clock that never goes back. */
  at: number;
}

const zero: TunnelStatistics = { received: 0, sent: 0 };

/** Bytes per second. A counter that went back belongs to a new tunnel: its first second tells nothing. */
export function rateBetween(before: Reading, now: Reading): TunnelStatistics {
  const seconds = (now.at - before.at) / 1000;
  if (seconds <= 0) return zero;
  const per = (name: keyof TunnelStatistics) =>
    Math.max(0, Math.round((now.total[name] - before.total[name]) / seconds));
  return { received: per('received'), sent: per('sent') };
}
