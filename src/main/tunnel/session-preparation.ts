import type { TunnelState } from '#shared/tunnel/state.ts';

/**
 * Has a session for the chosen server ready while a click on Connect is likely, whether or not a page is open: from each
 * sign of the user on for some minutes. An app that only runs costs its gateways no sign-ins.
 */
export interface SessionPreparation {
  /** The user is here: has looked at the app, chosen, signed in, or disconnected. */
  userIsHere(): void;
  /** What decides what can be prepared has changed. */
  check(): void;
  close(): void;
}

export interface SessionPreparationOptions {
  /** Of the chosen server; undefined if there is none that may be used now. */
  address: () => string | undefined;
  state: () => TunnelState;
  isSignedIn: () => boolean;
  /** Does nothing if there still is a session that is young enough. */
  prepare: (address: string) => void;
}

/** A session grows old in four minutes, so that one sign of the user costs three sign-ins at most. */
const likelyMs = 10 * 60_000;
const checkMs = 60_000;

export function createSessionPreparation(options: SessionPreparationOptions): SessionPreparation {
  let likelyUntil = 0;
  let timer: NodeJS.Timeout | undefined;

  function stop(): void {
    clearInterval(timer);
    timer = undefined;
  }

  function check(): void {
    if (performance.now() >= likelyUntil) return stop();
    const { state, ownedByOther } = options.state();
    if (state !== 'disconnected' || ownedByOther || !options.isSignedIn()) return;
    const address = options.address();
    if (address !== undefined) options.prepare(address);
  }

  return {
    userIsHere() {
      likelyUntil = performance.now() + likelyMs;
      timer ??= setInterval(check, checkMs).unref();
      check();
    },
    check,
    close: stop,
  };
}
