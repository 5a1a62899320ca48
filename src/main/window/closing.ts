import { isBlocked } from '#shared/tunnel/look.ts';
import type { TunnelState } from '#shared/tunnel/state.ts';

/** What closing the window does: nobody is to lose sight of what their traffic does, nor the way back to it. */
export type Closing = 'hide' | 'ask' | 'quit';

/** `hasPlace`: there is an icon, in a tray, a menu bar or a dock, that brings the window back. */
export function closing({ hasPlace, state }: { hasPlace: boolean; state: TunnelState }): Closing {
  if (hasPlace) return 'hide';
  return hasTunnel(state) || isBlocked(state) ? 'ask' : 'quit';
}

/** Whether there is a tunnel of this user's, or one is being made. */
export function hasTunnel({ state, ownedByOther }: TunnelState): boolean {
  return !ownedByOther && (state === 'connecting' || state === 'connected' || state === 'disconnecting');
}
