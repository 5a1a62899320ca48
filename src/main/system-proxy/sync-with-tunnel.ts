import type { RoutingProxy, TunnelState } from '#shared/tunnel/state.ts';
import { createSerialQueue } from '#shared/serial-queue.ts';
import type { SystemProxy } from './system-proxy.ts';

/**
 * Keeps the desktop's proxy in line with the tunnel; call it with each state. The last state wins: a state that is
 * outdated before the desktop has been changed is skipped. Resolves when the desktop matches the state. With the kill
 * switch on, only an explicit disconnect, or another routing mode, restores the earlier settings.
 */
export function syncWithTunnel(
  proxy: SystemProxy,
  killSwitch: () => boolean,
): (state: TunnelState) => Promise<void> {
  /** The PAC file to point at, or null to restore the earlier settings; undefined until a state has decided. */
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
    // While reconnecting, routed names have to fail: without the proxy, they would leave outside the tunnel.
    const keeps = isConnecting(state) || (killSwitch() && isFailure(state));
    if (keeps && !state.ownedByOther)
      return enqueue(async () => {
        // Another network may be in use then, which has settings of its own on some systems: looked at again.
        begun = undefined;
      });
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

/** The proxy of a tunnel that is up. The proxy of another user's connection does not serve this user. */
export function ownProxy(state: TunnelState): RoutingProxy | undefined {
  if (state.state !== 'connected' || state.ownedByOther || state.routing.mode !== 'pac') return undefined;
  return state.routing.proxy;
}
