import type { DesktopTextKey } from '#shared/texts/desktop-texts.ts';
import type { TextKey } from '#shared/texts/texts.ts';
import { isBlocked } from '#shared/tunnel/look.ts';
import type { TunnelState } from '#shared/tunnel/state.ts';
import { hasTunnel } from './closing.ts';

/** What becomes of the tunnel, and of what is blocked, when the user quits. */
export type Quitting = 'disconnect' | 'keep';

export interface QuitChoice {
  text: TextKey | DesktopTextKey;
  does: Quitting | 'stay-open';
}

export interface QuitQuestion {
  title: TextKey | DesktopTextKey;
  text: DesktopTextKey;
  /** What Enter chooses stands first, and what leaves everything as it is last. */
  choices: QuitChoice[];
}

const stayOpen: QuitChoice = { text: 'connect.cancel', does: 'stay-open' };
const disconnect: QuitChoice = { text: 'quit.disconnect', does: 'disconnect' };
const keep: QuitChoice = { text: 'quit.keep', does: 'keep' };
const unblock: QuitChoice = { text: 'quit.unblock', does: 'disconnect' };
const keepBlocking: QuitChoice = { text: 'quit.keepBlocking', does: 'keep' };

/** What quitting does, or what has to be asked before: nobody is left with blocked traffic that they did not know of. */
export function quitting({
  state,
  killSwitch,
  wanted,
}: {
  state: TunnelState;
  killSwitch: boolean;
  /** As set. */
  wanted: Quitting;
}): { does: Quitting } | { asks: QuitQuestion } {
  const blocked = (choices: QuitChoice[]) => ({
    asks: { title: 'connect.blocked', text: 'quit.blockedText', choices } satisfies QuitQuestion,
  });
  // Another user's is not ours to end.
  if (state.ownedByOther) return { does: 'keep' };
  // Without a helper nobody can unblock anything.
  if (isBlocked(state))
    return blocked([keepBlocking, ...(state.state === 'invalid' ? [] : [unblock]), stayOpen]);
  if (!hasTunnel(state)) return { does: 'keep' };
  // Nobody but this app can sign in again, and until then nothing goes out.
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
