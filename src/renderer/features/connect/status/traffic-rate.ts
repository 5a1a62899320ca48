import type { TunnelStatistics } from '#shared/tunnel/state.ts';

interface Reading {
  total: TunnelStatistics;
  /** Milliseconds on a monotonic clock. */
  at: number;
}

export const noTraffic: TunnelStatistics = { received: 0, sent: 0 };

/** Bytes per second. If a counter went back, it belongs to a new tunnel, and its first second has no rate. */
export function rateBetween(before: Reading, now: Reading): TunnelStatistics {
  const seconds = (now.at - before.at) / 1000;
  if (seconds <= 0) return noTraffic;
  const per = (name: keyof TunnelStatistics) =>
    Math.max(0, Math.round((now.total[name] - before.total[name]) / seconds));
  return { received: per('received'), sent: per('sent') };
}
