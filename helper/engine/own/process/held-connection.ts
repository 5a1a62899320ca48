import type { SecureResult } from './secure-connection.ts';

type Opened = Extract<SecureResult, { ok: true }>;

/** A TLS connection to the gateway that is opened before it is known whether anybody wants a tunnel. */
export interface HeldConnection {
  /**
   * Hands it over, once it is made; undefined if it was not, or has ended, or the machine has slept since. The next
   * call gets nothing.
   */
  take(): Promise<(Opened & { patienceMs: number }) | undefined>;
  /** Says goodbye to the gateway, if it is made, and forgets it. */
  close(): void;
}

/**
 * How often the other end is asked whether it is there, without a byte of TLS: a network that forgets connections
 * nobody uses is kept from it, and one that has gone is noticed.
 */
const askEveryMs = 10_000;

/** A machine whose clocks differ by more has slept, and the gateway may have given up meanwhile. */
const sleptMs = 2_000;

/** The shortest time for an answer of the gateway's (RFC 8305 §5, for a connection). */
const minPatienceMs = 250;
const maxPatienceMs = 2_000;

/**
 * `onHeld`: it is made. `onGone`: it could not be made, or has ended, or the other end has spoken; told at most once,
 * and not after `close`.
 */
export function holdConnection(
  opening: Promise<SecureResult>,
  {
    onHeld,
    onGone,
  }: { onHeld: () => void; onGone: (why: Exclude<SecureResult, { ok: true }> | 'ended') => void },
): HeldConnection {
  const begunAt = performance.now();
  let state: 'held' | 'gone' | 'taken' = 'held';
  let heldAt = { wall: 0, monotonic: 0 };
  let letGo: () => void = () => undefined;

  const made = opening.then((result) => {
    if (!result.ok) {
      if (state === 'held') onGone(result);
      if (state === 'held') state = 'gone';
      return undefined;
    }
    const { socket } = result.connection;
    if (state === 'gone') return void socket.destroy();
    if (state === 'taken') return result;
    heldAt = { wall: Date.now(), monotonic: performance.now() };
    const gone = () => {
      if (state !== 'held') return;
      state = 'gone';
      socket.destroy();
      onGone('ended');
    };
    // Who has been asked nothing has nothing to say, except that it does not want to wait any longer.
    const signs = ['data', 'end', 'error', 'close'] as const;
    for (const sign of signs) socket.on(sign, gone);
    result.setKeepAlive(askEveryMs);
    letGo = () => {
      // It flows again when whoever has it reads it.
      socket.pause();
      for (const sign of signs) socket.off(sign, gone);
      result.setKeepAlive(undefined);
    };
    onHeld();
    return result;
  });

  return {
    async take() {
      if (state !== 'held') return undefined;
      state = 'taken';
      const openedBefore = heldAt.wall > 0;
      letGo();
      const result = await made;
      if (!result) return undefined;
      const tookMs = (openedBefore ? heldAt.monotonic : performance.now()) - begunAt;
      const patienceMs = Math.min(Math.max(tookMs, minPatienceMs), maxPatienceMs);
      if (openedBefore && hasSlept(heldAt)) {
        result.connection.socket.destroy();
        return undefined;
      }
      return { ...result, patienceMs };
    },
    close() {
      if (state !== 'held') return;
      state = 'gone';
      letGo();
      void made.then((result) => result?.connection.socket.end());
    },
  };
}

/** The clock of the day goes on while the machine sleeps, and the other one does not (clock_gettime(2)). */
const hasSlept = (since: { wall: number; monotonic: number }) =>
  Math.abs(Date.now() - since.wall - (performance.now() - since.monotonic)) > sleptMs;
