import type { Logger } from 'pino';
import type { SignedIn } from '../gateway/sign-in/session.ts';
import type { HelperClient } from './helper-client.ts';
import type { TunnelRequests } from './tunnel-requests.ts';

/**
 * Has the engine hold a connection to the chosen server's gateway ready, so that connecting takes one answer of it. The
 * gateway keeps a process for that, and whoever watches the network can see that the app is open: there is only one
 * while somebody looks at the page with the button, and none where each byte may cost something.
 */
export interface HoldWhileLooking {
  /** There is a session for it now, which a click would use; undefined: there is none. */
  setSession(signedIn: SignedIn | undefined): void;
  /** The user has clicked: what is held is for that, although the session is used up. */
  leaveToClick(): void;
  /** Something else has changed that decides whether there may be one. */
  review(): void;
}

export interface HoldWhileLookingOptions {
  helper: HelperClient;
  requests: Pick<TunnelRequests, 'hold' | 'dropHeld'>;
  /** Whether the user sees the page to connect from. */
  isPageInView: () => boolean;
  /** Whether the network's traffic is limited or paid for, as far as the system says. */
  isMetered: () => Promise<boolean>;
  log: Logger;
}

/**
 * For one session, which lasts four minutes, in the app's view of the matter: whoever looks at the page again and again
 * has the first ones. Gateways count connections (ocserv's `max-ban-score`).
 */
const maxOpened = 4;

export function createHoldWhileLooking(options: HoldWhileLookingOptions): HoldWhileLooking {
  const { helper, requests, log } = options;
  let wanted: SignedIn | undefined;
  /** How often one was opened for a session. */
  const opened = new WeakMap<SignedIn, number>();
  /** The session for which the helper was last asked to hold one, and the connection to the helper on which it was. */
  let held: { for: SignedIn; by: object } | undefined;
  let isLeftToClick = false;
  let isReviewing = false;
  let isStale = false;

  /** Nothing would have to be opened for it. */
  function isOpen(): boolean {
    const { state, ...rest } = helper.state();
    return state === 'disconnected' && !('blocked' in rest && rest.blocked) && !rest.ownedByOther;
  }

  const canHold = () =>
    isOpen() && options.isPageInView() && helper.capabilities()?.includes('hold') === true;

  async function step(): Promise<void> {
    const by = helper.attachment();
    if (held && held.by !== by) held = undefined;
    if (isLeftToClick && canHold()) return;
    isLeftToClick = false;
    const now = wanted;
    const mayHold = now !== undefined && canHold() && !(await options.isMetered());
    if (wanted !== now || helper.attachment() !== by) return review();
    if (!mayHold || !by || !canHold()) return await drop();
    if (held?.for === now) return;
    const before = opened.get(now) ?? 0;
    if (before >= maxOpened) return await drop();
    opened.set(now, before + 1);
    held = { for: now, by };
    await requests.hold(now);
  }

  async function drop(): Promise<void> {
    if (!held) return;
    held = undefined;
    // A connection that begins takes it over, or drops it itself.
    if (isOpen()) await requests.dropHeld();
  }

  async function run(): Promise<void> {
    if (isReviewing) return;
    isReviewing = true;
    while (isStale) {
      isStale = false;
      // Connecting works without it.
      await step().catch((error: unknown) => log.info({ err: error }, 'no connection is held ready'));
    }
    isReviewing = false;
  }

  function review(): void {
    isStale = true;
    void run();
  }

  helper.onState(review);
  return {
    setSession(signedIn) {
      if (signedIn === wanted) return;
      isLeftToClick = false;
      wanted = signedIn;
      review();
    },
    leaveToClick() {
      wanted = undefined;
      isLeftToClick = true;
    },
    review,
  };
}
