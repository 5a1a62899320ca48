import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { connectDirectly, openGatewayTls } from '#node/anyconnect/gateway-tls.ts';
import { defaultGateway } from '#shared/constants.ts';
import type { Server } from '#shared/entities.ts';
import { createLatencyMeter, type LatencyMeter } from '#shared/servers/latency-meter.ts';
import type { ServerLatency } from '#shared/servers/server-latency.ts';
import type { Gateway, TunnelState } from '#shared/tunnel/state.ts';
import type { GatewayAddresses } from './gateway-addresses.ts';
import { pinsOf, type GatewayPins } from './gateway-pins.ts';

/** The faster of this many tries counts: the first one may have waited for a look-up, or for a sleeping radio. */
const tries = 2;
const timeoutMs = 1500;
/** Of one gateway. */
const maxAddresses = 3;

export interface GatewayLatenciesOptions {
  servers: () => readonly Pick<Server, 'serverId' | 'domain' | 'port'>[];
  state: () => TunnelState;
  addresses: Pick<GatewayAddresses, 'resolve'>;
  /** Whether a proxy leads to this host: how long that takes says nothing of the host. */
  hasProxy?: (host: string) => boolean;
  pins: () => GatewayPins;
  onLatency: (latency: ServerLatency) => void;
  /** How long a gateway is waited for: for a connection, and for its certificate; 1500 ms if absent. */
  answersWithinMs?: number;
}

/** Opens connections to each server's gateway, and closes the last one after the gateway has proved its identity. */
export function createGatewayLatencies(options: GatewayLatenciesOptions): LatencyMeter {
  const { answersWithinMs = timeoutMs } = options;
  return createLatencyMeter({
    ...options,
    async measureOne({ domain, port }, mayGoOn) {
      if (isTunnelsGateway({ domain, port }, options.state())) return undefined;
      const gateway = { host: domain, port: port ?? defaultGateway.port };
      let best: Connection | undefined;
      let isProven: boolean | undefined;
      let tried = 0;
      const addresses = (await options.addresses.resolve(domain)).slice(0, maxAddresses);
      if (options.hasProxy?.(domain) === true) return undefined;
      // The first one that answers counts: IPv6 may be in the name's addresses, and not in this network.
      for (let address = addresses.shift(); address !== undefined && tried < tries;) {
        if (!mayGoOn()) return undefined;
        const now = await timeToConnect(address, gateway.port, answersWithinMs);
        if (!now) {
          if (tried > 0) break;
          address = addresses.shift();
          continue;
        }
        tried += 1;
        if (!best || now.milliseconds < best.milliseconds) best = now;
        if (tried === tries)
          isProven = await provesIdentity(gateway, address, now.socket, {
            pins: pinsOf(options.pins(), domain),
            withinMs: answersWithinMs,
          });
        now.socket.destroy();
      }
      return {
        milliseconds: best ? best.milliseconds : null,
        throughTunnel: best !== undefined && isOfTunnel(best.from, options.state()),
        ...(isProven !== undefined && { isProven }),
      };
    },
  });
}

/** Only the engine can reach the gateway of the current tunnel, so a try would report a working gateway as silent. */
function isTunnelsGateway({ domain, port }: Pick<Server, 'domain' | 'port'>, state: TunnelState): boolean {
  if (state.state !== 'connected') return false;
  return state.gateway.host === domain && state.gateway.port === (port ?? defaultGateway.port);
}

/** Whether a connection from this local address goes through the tunnel. */
function isOfTunnel(address: string | undefined, state: TunnelState): boolean {
  if (state.state !== 'connected' || address === undefined) return false;
  return address === state.addresses.ipv4 || address === state.addresses.ipv6;
}

interface Connection {
  milliseconds: number;
  /** Its local address. */
  from: string | undefined;
  socket: Socket;
}

/** Undefined if nothing accepts the connection in time. */
async function timeToConnect(host: string, port: number, withinMs: number): Promise<Connection | undefined> {
  const begun = performance.now();
  const socket = connect({ host, port });
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(withinMs) });
    return { milliseconds: performance.now() - begun, from: socket.localAddress, socket };
  } catch {
    socket.destroy();
    return undefined;
  } finally {
    socket.on('error', () => undefined);
  }
}

/** Whether a connection to its gateway would be made, as far as its certificate is concerned. */
async function provesIdentity(
  gateway: Gateway,
  address: string,
  socket: Socket,
  { pins, withinMs }: { pins: readonly string[]; withinMs: number },
): Promise<boolean> {
  const signal = AbortSignal.timeout(withinMs);
  let measured: Socket | undefined = socket;
  const opened = await openGatewayTls(gateway, address, { pins }, signal, undefined, (...at) => {
    const first = measured;
    measured = undefined;
    return first ? Promise.resolve(first) : connectDirectly(...at);
  });
  if (opened.ok) opened.socket.destroy();
  return opened.ok;
}
