import { isBlocked } from '../tunnel/look.ts';
import type { TunnelState } from '../tunnel/state.ts';
import type { ServerLatency } from './server-latency.ts';

/** Some at a time: more would measure how they wait for each other. */
const atATime = 6;
/** For all of them; who waits longer has lost interest. */
const allInAllMs = 20_000;

/** `blocked`: nothing is measured, as no traffic may leave; `busy`: a tunnel is just being made or ended. */
export type MeasureOutcome = 'measured' | 'blocked' | 'busy';

export interface LatencyMeter {
  /** Each latency is told as soon as it is known. One measurement at a time: who asks during one waits for that. */
  measure(): Promise<MeasureOutcome>;
}

export interface LatencyMeterOptions<Measured> {
  servers: () => readonly Measured[];
  state: () => TunnelState;
  /** Undefined if it cannot be measured, or was given up since `mayGoOn` became false. */
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

  /** Undefined: traffic may leave. */
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
        // What was closed to traffic meanwhile says nothing about the server.
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
