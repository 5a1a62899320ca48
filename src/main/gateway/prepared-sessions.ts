import type { Gateway } from '#shared/tunnel/state.ts';
import type { SignedIn } from './sign-in/session.ts';

/**
 * Sessions that are signed in in advance, while a click on Connect is likely, so that connecting does not need a
 * sign-in. Failures are silent: connecting then signs in itself and reports the problem.
 */
export interface PreparedSessions {
  prepare(gateway: Gateway): void;
  /** The session for this gateway, which may still be in progress; each is returned only once. */
  take(gateway: Gateway): PreparedSession | undefined;
  /** The gateway has accepted a sign-in, whoever has asked for it: what it has refused before does not matter. */
  accepted(gateway: Gateway): void;
  /** Drops all sessions, and forgets refusals, e.g. because they belong to a user who signed out. */
  drop(): void;
}

export interface PreparedSession {
  /** The session, once the sign-in has succeeded. */
  made: SignedIn | undefined;
  /** Never rejects; undefined if the sign-in failed. */
  readonly signedIn: Promise<SignedIn | undefined>;
}

interface Entry extends PreparedSession {
  stop: AbortController;
  signedIn: Promise<SignedIn | undefined>;
  /** When the sign-in succeeded; undefined while it is in progress. */
  madeAt: number | undefined;
}

/** People click through the list faster than this. */
const settleMs = 150;
/** Less than the five minutes after which ocserv drops an unused session (`cookie-timeout`). */
const lifetimeMs = 4 * 60 * 1000;
/**
 * After a refusal, a gateway is left alone for so long: nothing but the user, or new credentials, will change its mind,
 * and each wrong password counts. ocserv shuts an address out, and with it everybody there, for eight of them in twenty
 * minutes (`max-ban-score`, `ban-points-wrong-password`).
 */
const refusalPauseMs = 20 * 60 * 1000;

/** `refused`: the gateway was reached, and gives no session to somebody who says nothing else. */
export type PreparedOutcome = SignedIn | 'refused' | undefined;

/**
 * `onReady`: the session of the gateway that was prepared last; undefined: there is none now. `onTaken`: one is about
 * to be used.
 */
export function createPreparedSessions(
  signIn: (gateway: Gateway, signal: AbortSignal) => Promise<PreparedOutcome>,
  {
    now = Date.now,
    onReady = () => undefined,
    onTaken = () => undefined,
  }: {
    now?: () => number;
    onReady?: ((signedIn: SignedIn | undefined) => void) | undefined;
    onTaken?: (() => void) | undefined;
  } = {},
): PreparedSessions {
  const entries = new Map<string, Entry>();
  const refusedAt = new Map<string, number>();
  let settling: NodeJS.Timeout | undefined;
  /** That of the gateway that was prepared last. */
  let latest: string | undefined;

  const keyOf = (gateway: Gateway) => `${gateway.host} ${gateway.port}`;
  const isLeftAlone = (key: string) => Math.abs(now() - (refusedAt.get(key) ?? -Infinity)) < refusalPauseMs;
  const isFresh = (entry: Entry) => entry.madeAt === undefined || Math.abs(now() - entry.madeAt) < lifetimeMs;

  function start(key: string, gateway: Gateway): void {
    const stop = new AbortController();
    const entry: Entry = {
      stop,
      made: undefined,
      madeAt: undefined,
      signedIn: Promise.resolve(undefined),
    };
    entry.signedIn = signIn(gateway, stop.signal).then(
      (outcome) => {
        const isRefused = outcome === 'refused';
        if (isRefused && !stop.signal.aborted) refusedAt.set(key, now());
        const signedIn = isRefused ? undefined : outcome;
        entry.made = signedIn;
        entry.madeAt = now();
        if (!signedIn && entries.get(key) === entry) entries.delete(key);
        if (signedIn && latest === key && entries.get(key) === entry) onReady(signedIn);
        return signedIn;
      },
      () => {
        if (entries.get(key) === entry) entries.delete(key);
        return undefined;
      },
    );
    entries.set(key, entry);
  }

  return {
    prepare(gateway) {
      clearTimeout(settling);
      const key = keyOf(gateway);
      const known = entries.get(key);
      const isKnown = known !== undefined && isFresh(known);
      if (latest !== key || isKnown) onReady(isKnown ? known.made : undefined);
      latest = key;
      if (isKnown || isLeftAlone(key)) return;
      settling = setTimeout(() => start(key, gateway), settleMs);
      settling.unref();
    },
    take(gateway) {
      clearTimeout(settling);
      const key = keyOf(gateway);
      const entry = entries.get(key);
      entries.delete(key);
      latest = undefined;
      onTaken();
      return entry && isFresh(entry) ? entry : undefined;
    },
    accepted: (gateway) => void refusedAt.delete(keyOf(gateway)),
    drop() {
      clearTimeout(settling);
      refusedAt.clear();
      for (const entry of entries.values()) entry.stop.abort();
      entries.clear();
      latest = undefined;
      onReady(undefined);
    },
  };
}
