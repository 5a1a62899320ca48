import type { TunnelState } from './state.ts';

/**
 * Whether installing now would let traffic out that the tunnel carries: while the service is replaced there is no
 * tunnel, and only what the kill switch blocks stays blocked. `killSwitch`: this user's; of another user's tunnel, it
 * is not known.
 */
export function wouldOpenTraffic(tunnel: TunnelState, killSwitch: boolean): boolean {
  const isTunnel =
    tunnel.state === 'connected' ||
    tunnel.state === 'connecting' ||
    (tunnel.state === 'disconnecting' && tunnel.then === 'connecting');
  return isTunnel && (!killSwitch || tunnel.ownedByOther === true);
}

/** Whether there is a tunnel, or one in progress, that installing now would end. */
export const isTunnelOfAnybody = ({ state, ownedByOther }: TunnelState): boolean =>
  ownedByOther === true || state === 'connecting' || state === 'connected' || state === 'disconnecting';
