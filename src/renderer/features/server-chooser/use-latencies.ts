import { useEffect, useRef, useState } from 'react';
import type { ServerLatency } from '#shared/servers/server-latency.ts';
import { useApp, useHost } from '../../platform/host-context.tsx';

/** Results are displayed together at this interval: hundreds of servers answer one after the other. */
const showEveryMs = 250;

export type Latencies = ReadonlyMap<string, ServerLatency>;

interface MeasuredServers {
  outcome: 'measured' | 'blocked' | 'busy' | 'unsupported';
  /** The results of this measurement only. */
  latencies: readonly ServerLatency[];
}

export interface LatencyMeasurement {
  /** The last result for each server. */
  latencies: Latencies;
  /** Of each server, in milliseconds, what was measured last without a tunnel in between. */
  directMs: () => ReadonlyMap<string, number>;
  isMeasuring: boolean;
  /** Undefined if the app cannot measure. */
  measure: (() => Promise<MeasuredServers>) | undefined;
}

/** How fast servers are. Nothing is measured before somebody asks. */
export function useLatencies(): LatencyMeasurement {
  const host = useHost();
  const { measuresLatency } = useApp();
  const [latencies, setLatencies] = useState<Latencies>(new Map());
  const [isMeasuring, setMeasuring] = useState(false);
  const told = useRef<Map<string, ServerLatency>>(new Map());
  const direct = useRef<Map<string, number>>(new Map());
  const measuring = useRef<Promise<MeasuredServers>>(undefined);

  useEffect(() => {
    if (!measuresLatency) return undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const show = () => {
      timer = undefined;
      setLatencies((before) => new Map([...before, ...told.current]));
    };
    const unsubscribe = host.servers.measured((some) => {
      for (const latency of some) {
        told.current.set(latency.serverId, latency);
        const { serverId, milliseconds, throughTunnel } = latency;
        if (!throughTunnel && milliseconds !== null) direct.current.set(serverId, milliseconds);
      }
      timer ??= setTimeout(show, showEveryMs);
    });
    return () => {
      unsubscribe();
      clearTimeout(timer);
    };
  }, [host, measuresLatency]);

  async function measureNow(): Promise<MeasuredServers> {
    setMeasuring(true);
    told.current = new Map();
    const outcome = await host.servers.measure().catch(() => 'unsupported' as const);
    measuring.current = undefined;
    setMeasuring(false);
    return { outcome, latencies: [...told.current.values()] };
  }

  function measure(): Promise<MeasuredServers> {
    measuring.current ??= measureNow();
    return measuring.current;
  }
  return {
    latencies,
    directMs: () => direct.current,
    isMeasuring,
    measure: measuresLatency ? measure : undefined,
  };
}
