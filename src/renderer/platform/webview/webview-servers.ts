import type { HostContract, HostImplementation } from '#shared/host/contract.ts';
import type { EmitHostEvent } from '#shared/host/server.ts';
import type { WebviewApp } from '#shared/host/webview-contract.ts';
import { createLatencyMeter } from '#shared/servers/latency-meter.ts';
import { serverAt, type ListedServer } from '#shared/plan/usable-group.ts';
import { serverAddress } from '#shared/tunnel/address.ts';
import type { TunnelState } from '#shared/tunnel/state.ts';
import { createKeptServers } from '../storage/kept-servers.ts';
import type { WebviewPlan } from './webview-plan.ts';

export interface WebviewServersOptions {
  app: Pick<WebviewApp, 'tunnel' | 'servers'>;
  storage: HostImplementation['storage'];
  plan: WebviewPlan;
  /** Whether the app says that it can measure how fast servers are: older ones do not know the message. */
  measuresLatency: boolean;
  /** The server that the user chose, if it may be used now. */
  chosen: () => Promise<ListedServer | undefined>;
  emit: EmitHostEvent<HostContract>;
}

/** Favourite and recent servers in the app's storage, and how fast servers are, if the app can measure it. */
export function createWebviewServers(options: WebviewServersOptions): {
  host: HostImplementation['servers'];
  /** They belonged to another account. */
  forget(): void;
} {
  const { app, plan, emit } = options;
  let state: TunnelState | undefined;
  const kept = createKeptServers(options.storage, (now) => emit('servers.keptChanged', now));

  async function rememberServer(): Promise<void> {
    if (state?.state !== 'connected' || state.ownedByOther) return;
    const { gateway } = state;
    const used = serverAt(gateway, plan.servers(), await options.chosen());
    if (used) kept.connectedTo(used.serverId);
  }
  function follow(now: TunnelState): void {
    state = now;
    void rememberServer();
  }

  app.tunnel.stateChanged(follow);
  plan.onChange(() => void rememberServer());

  const meter = createLatencyMeter<ListedServer>({
    servers: () => plan.servers(),
    state: () => state ?? { state: 'disconnected' },
    measureOne: (server) =>
      app.servers
        .latency({ address: serverAddress(server) })
        .catch(() => ({ milliseconds: null, throughTunnel: false })),
    onLatency: (latency) => emit('servers.measured', [latency]),
  });

  return {
    host: {
      ...kept.host,
      measure: () => (options.measuresLatency ? meter.measure() : 'unsupported'),
    },
    forget: () => kept.forget(),
  };
}
