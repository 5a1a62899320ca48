import { once } from 'node:events';
import type { Socket } from 'node:net';
import { keyGroups } from './key-groups.ts';
import { waitToTheEnd } from '../wait-to-the-end.ts';
import { knownPaths } from './known-paths.ts';

/**
 * The first message of TLS has some 1,600 bytes with a share for post-quantum key exchange (X25519MLKEM768), and 400
 * without. There are networks that silently drop packets of more than 1,492 or 1,300 bytes: there, the large message is
 * never answered. After a short silence, a second connection begins with the small one, and what is answered first is
 * used. An answer to the large one comes first wherever it passes, so that the post-quantum share stays there. Boxes on
 * the way that cannot read it end the connection, some of them with an alert of TLS, which is no answer either.
 */

/**
 * The shortest answer to the first message, in bytes: a ServerHello without extensions (RFC 8446 §4.1.3, §5.1). An
 * alert has seven.
 */
const minAnswerBytes = 47;

/** The shortest silence, in milliseconds, and that where the large message was in vain for another host. */
const silenceMs = { usual: 700, onSmallNetwork: 200 } as const;
const maxSilenceMs = 3_000;

export interface Opening<Opened> {
  /** The name of the other end, by which it is remembered what passes. */
  host: string;
  /** Opens a TCP connection, which may still be connecting. Called once or twice. */
  connect(): Promise<Socket>;
  /** For how long a connection may take; as long as `signal` lets it if absent. */
  connectMs?: number;
  /**
   * Makes TLS on it, with these groups for the key exchange; undefined: Node's own. Once `signal` is aborted, it
   * settles soon, and the connection is closed. `tookMs`: how long the connection took, about a round trip.
   */
  secure(
    transport: Socket,
    how: { groups: string | undefined; tookMs: number; signal: AbortSignal },
  ): Promise<Opened>;
  signal: AbortSignal;
}

/** A connection, and how long it took, without looking up the name. */
interface Connected {
  transport: Socket;
  tookMs: number;
}

interface Try<Opened> {
  opened: Promise<Opened>;
  /** Whether an answer to its first message has come back, or is coming: an alert that ends it is none. */
  isHeard(): boolean;
  end(): void;
}

/** Opens TLS with a first message that passes. Settles as the `secure` that was answered first. */
export async function openWithFittingMessage<Opened>(opening: Opening<Opened>): Promise<Opened> {
  const { host, signal } = opening;
  const made = await connected(opening);
  const { tookMs } = made;
  const path = knownPaths.to(host);
  if (path.isSmall()) return await tryOn(made, keyGroups().small, opening).opened;
  const large = tryOn(made, keyGroups().large, opening);
  const shortest = path.isOnSmallNetwork() ? silenceMs.onSmallNetwork : silenceMs.usual;
  // An answer takes as long as the connection took.
  await settledWithin(large, Math.min(Math.max(shortest, 2 * tookMs), maxSilenceMs));
  if (signal.aborted || large.isHeard()) {
    if (large.isHeard()) path.passesLarge();
    return await large.opened;
  }
  const small = trySmall(opening);
  const heard = await firstHeard(large, small);
  if (heard === small) {
    path.passesSmall();
    void lookAgain(large, tookMs).then((isHeard) => isHeard && path.passesLarge());
  } else small.end();
  return await heard.opened;
}

async function connected<Opened>(opening: Opening<Opened>): Promise<Connected> {
  const limit = new AbortController();
  const tooLate = () => limit.abort(new Error('no answer'));
  const timer = opening.connectMs === undefined ? undefined : setTimeout(tooLate, opening.connectMs);
  const signal = AbortSignal.any([opening.signal, limit.signal]);
  const begun = performance.now();
  const connecting = opening.connect();
  try {
    const transport = await orAborted(connecting, signal);
    // For its whole life: who uses it may not listen yet, or no longer.
    transport.on('error', () => undefined);
    if (transport.errored) throw transport.errored;
    const since = transport.connecting ? await untilConnected(transport, signal) : begun;
    return { transport, tookMs: performance.now() - since };
  } catch (error) {
    connecting.then((late) => late.on('error', () => undefined).destroy()).catch(() => undefined);
    throw signal.aborted ? signal.reason : error;
  } finally {
    clearTimeout(timer);
  }
}

/** Resolves with when it was begun, after looking up the name. */
async function untilConnected(transport: Socket, signal: AbortSignal): Promise<number> {
  let begun = performance.now();
  const note = () => {
    begun = performance.now();
  };
  transport.on('connectionAttempt', note);
  await once(transport, 'connect', { signal });
  transport.off('connectionAttempt', note);
  return begun;
}

async function orAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  signal.throwIfAborted();
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = () => reject(new Error('aborted'));
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

function tryOn<Opened>(
  { transport, tookMs }: Connected,
  groups: string | undefined,
  { secure, signal }: Pick<Opening<Opened>, 'secure' | 'signal'>,
): Try<Opened> {
  const before = transport.bytesRead;
  const ending = new AbortController();
  const opened = secure(transport, { groups, tookMs, signal: AbortSignal.any([signal, ending.signal]) });
  // Whoever loses the race is not waited for.
  opened.catch(() => undefined);
  return {
    opened,
    isHeard() {
      const heard = transport.bytesRead - before;
      return heard >= minAnswerBytes || (heard > 0 && !transport.destroyed);
    },
    end() {
      ending.abort();
      // Also where TLS has just been made.
      transport.destroy();
    },
  };
}

/** On a connection of its own. */
function trySmall<Opened>(opening: Opening<Opened>): Try<Opened> {
  const ending = new AbortController();
  const signal = AbortSignal.any([opening.signal, ending.signal]);
  let begun: Try<Opened> | undefined;
  const opened = (async () => {
    begun = tryOn(await connected({ ...opening, signal }), keyGroups().small, { ...opening, signal });
    return await begun.opened;
  })();
  opened.catch(() => undefined);
  return {
    opened,
    isHeard: () => begun?.isHeard() ?? false,
    end() {
      ending.abort();
      begun?.end();
    },
  };
}

async function settledWithin(one: Try<unknown>, milliseconds: number): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const stop = waitToTheEnd(milliseconds, resolve);
  await Promise.race([one.opened, late]).catch(() => undefined);
  stop();
}

/** The one that is answered first; the large one if none is. */
async function firstHeard<Opened>(large: Try<Opened>, small: Try<Opened>): Promise<Try<Opened>> {
  const settled = [large, small].map(async (one) => {
    await one.opened.catch(() => undefined);
    return one;
  });
  const sooner = await Promise.race(settled);
  if (sooner.isHeard()) return sooner;
  await Promise.all(settled);
  return small.isHeard() ? small : large;
}

/** Whether the large message is answered after all: it may only have been lost, or have waited. */
async function lookAgain(large: Try<unknown>, tookMs: number): Promise<boolean> {
  await settledWithin(large, Math.min(Math.max(2 * silenceMs.usual, 4 * tookMs), maxSilenceMs));
  large.end();
  return large.isHeard();
}
