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
  let wanted: ProxyWish;
  let turn = Promise.resolve();

  async function fulfil(wish: ProxyWish): Promise<void> {
    if (wish === undefined || wish !== wanted) return;
    if (wish === null) await proxy.restore();
    else await proxy.use(wish);
  }

  return (tunnel) => {
    const wish = wishOf(tunnel);
    if (wish !== undefined && wish !== wanted) {
      wanted = wish;
      turn = turn.then(() => fulfil(wish));
    }
    return turn;
  };
}

/** The PAC file to point at, null for what was there before, undefined for whatever it is now. */
type ProxyWish = string | null | undefined;

function wishOf({ state, pacUrl }: ProxiedTunnel): ProxyWish {
  switch (state.state) {
    case 'connected':
      return state.routing.mode === 'pac' ? (pacUrl ?? null) : null;
    // During a re-connect routed names have to fail: past the proxy they would leave outside the tunnel.
    case 'connecting':
      return undefined;
    case 'disconnecting':
      return state.then === 'connecting' ? undefined : null;
    case 'disconnected':
    case 'invalid':
      return null;
  }
}
