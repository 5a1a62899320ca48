import type { TunnelState } from '#shared/tunnel/state.ts';

/**
 * Keeps a session for the chosen server ready while a click on Connect is likely, whether or not a page is open: for
 * some minutes after each sign of the user. An app that just runs causes no sign-ins.
 */
export interface SessionPreparation {
  /** The user has looked at the app, chosen something, signed in, or disconnected. */
  userIsHere(): void;
  /** Something has changed that decides what can be prepared. */
  check(): void;
  close(): void;
}

export interface SessionPreparationOptions {
  /** The address of the chosen server; undefined if none may be used now. */
  address: () => string | undefined;
  state: () => TunnelState;
  isSignedIn: () => boolean;
  /** Does nothing if there is a session that is recent enough. */
  prepare: (address: string) => void;
}

/** A session expires after four minutes, so one sign of the user causes at most three sign-ins. */
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
