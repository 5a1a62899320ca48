import { isBlocked } from '../tunnel/look.ts';
import type { TunnelState } from '../tunnel/state.ts';
import type { ServerLatency } from './server-latency.ts';

/** Limits concurrency: with more at once, the measurements would wait for each other. */
const atATime = 6;
/** For all servers together; after that, nobody is still waiting for the result. */
const allInAllMs = 20_000;

/** `blocked`: nothing is measured, because no traffic may leave; `busy`: a tunnel is being established or ended. */
export type MeasureOutcome = 'measured' | 'blocked' | 'busy';

export interface LatencyMeter {
  /**
   * Each latency is reported as soon as it is known. Only one measurement runs at a time: a call during one waits for
   * it.
   */
  measure(): Promise<MeasureOutcome>;
}

export interface LatencyMeterOptions<Measured> {
  servers: () => readonly Measured[];
  state: () => TunnelState;
  /** Undefined if it could not be measured, or was given up because `mayGoOn` became false. */
  measureOne: (
    server: Measured,
    mayGoOn: () => boolean,
  ) => Promise<Omit<ServerLatency, 'serverId'> | undefined>;
  onLatency: (latency: ServerLatency) => void;
}

export function createLatencyMeter<Measured extends { serverId: string }>(
  options: LatencyMeterOptions<Measured>,
): LatencyMeter {
  let measuring: Promise<MeasureOutcome> | undefined;

  /** Undefined means that traffic may leave. */
  function refusal(): Exclude<MeasureOutcome, 'measured'> | undefined {
    const state = options.state();
    if (isBlocked(state)) return 'blocked';
    return state.state === 'connecting' || state.state === 'disconnecting' ? 'busy' : undefined;
  }

  async function measureAll(): Promise<MeasureOutcome> {
    const endsAt = Date.now() + allInAllMs;
    const mayGoOn = () => refusal() === undefined && Date.now() < endsAt;
    const waiting = [...options.servers()];
    const work = async () => {
      for (let next = waiting.shift(); next && mayGoOn(); next = waiting.shift()) {
        const latency = await options.measureOne(next, mayGoOn);
        // If traffic was blocked meanwhile, the result says nothing about the server.
        if (latency && refusal() === undefined) options.onLatency({ serverId: next.serverId, ...latency });
      }
    };
    await Promise.all(Array.from({ length: atATime }, work));
    return refusal() ?? 'measured';
  }

  return {
    async measure() {
      const refused = refusal();
      if (refused !== undefined) return refused;
      measuring ??= measureAll().finally(() => {
        measuring = undefined;
      });
      return await measuring;
    },
  };
}
