import type { RoutingProxy, TunnelState } from '#shared/tunnel/state.ts';
import { createSerialQueue } from '#shared/serial-queue.ts';
import type { SystemProxy } from './system-proxy.ts';

/**
 * Keeps the desktop's proxy to the tunnel, given each of its states in turn. The last state wins: one that is
 * overtaken while the desktop is being changed is skipped. Resolves when the desktop is as the state wants it.
 * With the kill switch on only an explicit disconnect, or another routing, puts back what was there before.
 */
export function syncWithTunnel(
  proxy: SystemProxy,
  killSwitch: () => boolean,
): (state: TunnelState) => Promise<void> {
  /** The PAC file to point at, or null for what was there before; undefined until a state has decided it. */
  let wanted: string | null | undefined;
  let begun: string | null | undefined;
  const enqueue = createSerialQueue();

  async function fulfil(wish: string | null): Promise<void> {
    if (wish !== wanted || wish === begun) return;
    begun = wish;
    if (wish === null) await proxy.restore();
    else await proxy.use(wish);
  }

  return (state) => {
    // During a re-connect routed names have to fail: past the proxy they would leave outside the tunnel.
    const keeps = isConnecting(state) || (killSwitch() && isFailure(state));
    if (keeps && !state.ownedByOther) return enqueue(async () => undefined);
    const wish = pacUrlOf(state);
    wanted = wish;
    return enqueue(() => fulfil(wish));
  };
}

function isConnecting(state: TunnelState): boolean {
  return state.state === 'connecting' || (state.state === 'disconnecting' && state.then === 'connecting');
}

function isFailure(state: TunnelState): boolean {
  return state.state === 'invalid' || (state.state === 'disconnected' && state.reason !== undefined);
}

const pacUrlOf = (state: TunnelState) => ownProxy(state)?.pacUrl ?? null;

/** The proxy of a tunnel that is up; that of another user's connection does not serve this one. */
export function ownProxy(state: TunnelState): RoutingProxy | undefined {
  if (state.state !== 'connected' || state.ownedByOther || state.routing.mode !== 'pac') return undefined;
  return state.routing.proxy;
}
