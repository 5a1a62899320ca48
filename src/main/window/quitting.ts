import type { DesktopTextKey } from '#shared/texts/desktop-texts.ts';
import type { TextKey } from '#shared/texts/texts.ts';
import { isBlocked } from '#shared/tunnel/look.ts';
import type { TunnelState } from '#shared/tunnel/state.ts';
import { hasTunnel } from './closing.ts';

/** What happens to the tunnel, and to blocked traffic, when the user quits. */
export type Quitting = 'disconnect' | 'keep';

export interface QuitChoice {
  text: TextKey | DesktopTextKey;
  does: Quitting | 'stay-open';
}

export interface QuitQuestion {
  title: TextKey | DesktopTextKey;
  text: DesktopTextKey;
  /** Enter chooses the first; the last one leaves everything as it is. */
  choices: QuitChoice[];
}

const stayOpen: QuitChoice = { text: 'connect.cancel', does: 'stay-open' };
const disconnect: QuitChoice = { text: 'quit.disconnect', does: 'disconnect' };
const keep: QuitChoice = { text: 'quit.keep', does: 'keep' };
const unblock: QuitChoice = { text: 'quit.unblock', does: 'disconnect' };
const keepBlocking: QuitChoice = { text: 'quit.keepBlocking', does: 'keep' };

/** What quitting does, or what to ask first: nobody should be left with blocked traffic without knowing it. */
export function quitting({
  state,
  killSwitch,
  wanted,
}: {
  state: TunnelState;
  killSwitch: boolean;
  /** The user's setting. */
  wanted: Quitting;
}): { does: Quitting } | { asks: QuitQuestion } {
  const blocked = (choices: QuitChoice[]) => ({
    asks: { title: 'connect.blocked', text: 'quit.blockedText', choices } satisfies QuitQuestion,
  });
  // We must not end another user's tunnel.
  if (state.ownedByOther) return { does: 'keep' };
  // Without a helper, nobody can unblock traffic.
  if (isBlocked(state))
    return blocked([keepBlocking, ...(state.state === 'invalid' ? [] : [unblock]), stayOpen]);
  if (!hasTunnel(state)) return { does: 'keep' };
  // Only this app can sign in again, and until then nothing gets out.
  if (state.state === 'connecting' && (killSwitch || wanted === 'keep'))
    return blocked([unblock, keepBlocking, stayOpen]);
  if (!killSwitch) return { does: wanted };
  return wanted === 'keep'
    ? { asks: { title: 'quit.keepTitle', text: 'quit.keepText', choices: [keep, disconnect, stayOpen] } }
    : {
        asks: {
          title: 'quit.disconnectTitle',
          text: 'quit.disconnectText',
          choices: [disconnect, keep, stayOpen],
        },
      };
}
