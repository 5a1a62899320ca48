/** The maximum time until an engine's program has started; with many others at once, a slow machine takes that long. */
export const startLimitMs = 60_000;

/** The maximum time from an engine's first packet to a configured tunnel. */
export const handshakeLimitMs = 20_000;

/**
 * The maximum time until a gateway that may be at other addresses answers at this one; twice as long when all of them
 * have been tried, and so on, up to the limit above. `rounds`: how often that was.
 */
export const reachLimitMs = (rounds: number): number =>
  Math.min(firstReachMs * 2 ** rounds, handshakeLimitMs);
const firstReachMs = 5_000;

/** How many answers an engine waits for: of TCP, twice of TLS, and of HTTP. One may get lost. */
const answers = 6;

/** What an attempt's time depends on. */
interface AttemptLimit {
  milliseconds: number;
  /** How long the gateway takes to answer as measured now, in milliseconds. */
  roundTripMs: () => Promise<number>;
  /** Nothing happens once this is aborted. */
  until: AbortSignal;
  onOver: () => void;
}

/** How often it is looked whether the time is over, and how much a look may count that comes late, in milliseconds. */
const lookMs = 1_000;
const maxLookMs = 2 * lookMs;

/**
 * Waits; a gateway that takes long to answer has that time in addition, once for each answer that is waited for. What
 * this process stands still for does not count: what has come meanwhile has not been read yet.
 */
export function limitAttempt({ milliseconds, roundTripMs, until, onOver }: AttemptLimit): void {
  let waited = 0;
  let timer: NodeJS.Timeout | undefined;
  until.addEventListener('abort', () => clearTimeout(timer), { once: true });
  const check = async () => {
    if (until.aborted) return;
    const more = answers * (await roundTripMs());
    if (until.aborted) return;
    const left = milliseconds + more - waited;
    if (left > 0) wait(left);
    else onOver();
  };
  const wait = (left: number) => {
    const begun = performance.now();
    timer = setTimeout(
      () => {
        const passed = Math.min(performance.now() - begun, maxLookMs);
        waited += passed;
        if (left > passed) wait(left - passed);
        else void check();
      },
      Math.min(left, lookMs),
    );
  };
  wait(milliseconds);
}
