import type { TunnelState } from '#shared/tunnel/state.ts';

/**
 * Whether installing now would let traffic out that the tunnel carries: while the service is replaced there is no tunnel,
 * and only what the kill switch blocks stays blocked.
 */
export function wouldOpenTraffic(state: TunnelState['state'], killSwitch: boolean): boolean {
  return !killSwitch && (state === 'connected' || state === 'connecting');
}
