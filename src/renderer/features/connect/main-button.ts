import type { TunnelState } from '#shared/tunnel/state.ts';
import type { TextKey } from '#shared/texts/texts.ts';

/** What the one button of the tunnel is called, and does. */
interface MainButton {
  text: TextKey;
  does: 'connect' | 'disconnect' | 'wait' | 'nothing-yet';
}

export function mainButton(state: TunnelState | undefined): MainButton {
  switch (state?.state) {
    case undefined:
    case 'invalid':
      return { text: 'connect.connect', does: 'nothing-yet' };
    case 'disconnected':
      return { text: 'connect.connect', does: 'connect' };
    case 'connecting':
      return { text: 'connect.cancel', does: 'disconnect' };
    case 'connected':
      return { text: 'connect.disconnect', does: 'disconnect' };
    case 'disconnecting':
      return { text: 'connect.disconnect', does: 'wait' };
    default:
      return state satisfies never;
  }
}

/** Whether connecting is what the button is for, now or once that is possible; for another's tunnel there is none. */
export function isForConnecting(state: TunnelState | undefined): boolean {
  const { does } = mainButton(state);
  return !state?.ownedByOther && (does === 'connect' || does === 'nothing-yet');
}
