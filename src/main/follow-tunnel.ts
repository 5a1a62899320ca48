import type { TunnelState } from '#shared/tunnel/state.ts';
import type { SystemProxy } from './system-proxy.ts';

/** What of a tunnel decides about the desktop's proxy. */
export interface ProxiedTunnel {
  state: TunnelState;
  /** Where the PAC file is while the routing mode is pac. */
  pacUrl: string | undefined;
}

/**
 * Keeps the desktop's proxy to the tunnel, given each of its states in turn. The last state wins: one that is
 * overtaken while the desktop is being changed is skipped. Resolves when the desktop is as the state wants it.
 */
export function followTunnel(proxy: SystemProxy): (tunnel: ProxiedTunnel) => Promise<void> {
  /** The PAC file to point at, or null for what was there before; undefined until a state has decided it. */
  let wanted: string | null | undefined;
  let begun: string | null | undefined;
  let turn = Promise.resolve();

  async function fulfil(wish: string | null): Promise<void> {
    if (wish !== wanted || wish === begun) return;
    begun = wish;
    if (wish === null) await proxy.restore();
    else await proxy.use(wish);
  }

  return (tunnel) => {
    // During a re-connect routed names have to fail: past the proxy they would leave outside the tunnel.
    if (isConnecting(tunnel.state)) return turn;
    const wish = pacUrlOf(tunnel);
    wanted = wish;
    turn = turn.then(() => fulfil(wish));
    return turn;
  };
}

function isConnecting(state: TunnelState): boolean {
  return state.state === 'connecting' || (state.state === 'disconnecting' && state.then === 'connecting');
}

function pacUrlOf({ state, pacUrl }: ProxiedTunnel): string | null {
  return state.state === 'connected' && state.routing.mode === 'pac' ? (pacUrl ?? null) : null;
}
