import { once } from 'node:events';
import { connect } from 'node:net';
import { defaultGateway } from '#shared/constants.ts';
import type { Server } from '#shared/entities.ts';
import type { ServerLatency } from '#shared/plan/server-latency.ts';
import { isBlocked } from '#shared/tunnel/look.ts';
import type { TunnelState } from '#shared/tunnel/state.ts';
import type { GatewayAddresses } from './gateway-addresses.ts';

/** Some at a time: more would measure how they wait for each other. */
const atATime = 6;
/** The better of so many counts: the first may have waited for a name, or for a sleeping radio. */
const tries = 2;
const timeoutMs = 1500;
/** For all of them; who waits longer has lost interest. */
const allInAllMs = 20_000;

/** `blocked`: nothing is measured, as no traffic may leave; `busy`: a tunnel is just being made or ended. */
export type MeasureOutcome = 'measured' | 'blocked' | 'busy';

export interface LatencyMeter {
  /**
   * Opens a connection to each of these servers' gateways, and closes it before anything is sent; each latency is told
   * as soon as it is known. One measurement at a time: who asks during one waits for that.
   */
  measure(): Promise<MeasureOutcome>;
}

type Measured = Pick<Server, 'serverId' | 'domain' | 'port'>;

export interface LatencyMeterOptions {
  servers: () => readonly Measured[];
  state: () => TunnelState;
  addresses: Pick<GatewayAddresses, 'resolve'>;
  onLatency: (latency: ServerLatency) => void;
}

export function createLatencyMeter(options: LatencyMeterOptions): LatencyMeter {
  let measuring: Promise<MeasureOutcome> | undefined;

  /** Undefined: traffic may leave. */
  function refusal(): Exclude<MeasureOutcome, 'measured'> | undefined {
    const state = options.state();
    if (isBlocked(state)) return 'blocked';
    return state.state === 'connecting' || state.state === 'disconnecting' ? 'busy' : undefined;
  }

  async function measureOne({ serverId, domain, port }: Measured, deadline: AbortSignal): Promise<void> {
    const [address] = await options.addresses.resolve(domain);
    let best: Connection | undefined;
    for (let tried = 0; tried < tries; tried += 1) {
      if (refusal() !== undefined || deadline.aborted) return;
      const now =
        address === undefined ? undefined : await timeToConnect(address, port ?? defaultGateway.port);
      if (!now) break;
      if (!best || now.milliseconds < best.milliseconds) best = now;
    }
    // What was closed to traffic meanwhile says nothing about the server.
    if (refusal() !== undefined) return;
    options.onLatency({
      serverId,
      milliseconds: best ? best.milliseconds : null,
      throughTunnel: best !== undefined && isOfTunnel(best.from, options.state()),
    });
  }

  async function measureAll(): Promise<MeasureOutcome> {
    const deadline = AbortSignal.timeout(allInAllMs);
    const waiting = [...options.servers()];
    const work = async () => {
      for (let next = waiting.shift(); next; next = waiting.shift()) {
        if (refusal() !== undefined || deadline.aborted) return;
        await measureOne(next, deadline);
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

/** Whether a connection that begins at this address goes through the tunnel. */
function isOfTunnel(address: string | undefined, state: TunnelState): boolean {
  if (state.state !== 'connected' || address === undefined) return false;
  return address === state.addresses.ipv4 || address === state.addresses.ipv6;
}

interface Connection {
  milliseconds: number;
  /** The address of this machine that it has. */
  from: string | undefined;
}

/** Undefined if nothing takes the connection in time. */
async function timeToConnect(host: string, port: number): Promise<Connection | undefined> {
  const begun = performance.now();
  const socket = connect({ host, port });
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(timeoutMs) });
    return { milliseconds: performance.now() - begun, from: socket.localAddress };
  } catch {
    return undefined;
  } finally {
    socket.on('error', () => undefined);
    socket.destroy();
  }
}
