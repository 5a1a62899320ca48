import { lookOf } from '#shared/tunnel/look.ts';
import type { TunnelState } from '#shared/tunnel/state.ts';

/** Each has its own shape and colour. */
export const trayLooks = ['off', 'working', 'on', 'problem', 'blocked'] as const;
export type TrayLook = (typeof trayLooks)[number];

/** Which icon is shown; tray-tone.ts says in which colours. */
export function trayLook(state: TunnelState): TrayLook {
  // Traffic that should be blocked is not.
  if (state.state === 'disconnected' && state.reason === 'protection-failed') return 'problem';
  const look = lookOf(state);
  switch (look) {
    case 'loading':
    case 'disconnected':
      return 'off';
    case 'connecting':
    case 'disconnecting':
      return 'working';
    case 'connected':
      return 'on';
    case 'impaired':
    case 'invalid':
      return 'problem';
    case 'blocked':
      return 'blocked';
    default:
      return look satisfies never;
  }
}
