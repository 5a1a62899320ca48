import { isBlocked } from '#shared/tunnel/look.ts';
import type { TunnelState } from '#shared/tunnel/state.ts';

/**
 * What closing the window does: users must not lose sight of what happens to their traffic, or the way to change it.
 */
export type Closing = 'hide' | 'minimize' | 'ask' | 'quit';

/**
 * `hasPlace`: an icon in a tray, a menu bar or a dock can bring the window back; undefined where the desktop has not
 * said so in time, as on a machine that is busy, which is no reason to end the app.
 */
export function closing({ hasPlace, state }: { hasPlace: boolean | undefined; state: TunnelState }): Closing {
  if (hasPlace === undefined) return 'minimize';
  if (hasPlace) return 'hide';
  return hasTunnel(state) || isBlocked(state) ? 'ask' : 'quit';
}

/** Whether this user has a tunnel, or one in progress. */
export function hasTunnel({ state, ownedByOther }: TunnelState): boolean {
  return !ownedByOther && (state === 'connecting' || state === 'connected' || state === 'disconnecting');
}
