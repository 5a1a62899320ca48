import { waitToTheEnd } from '../wait-to-the-end.ts';
import type { GatewayTlsResult } from './gateway-tls.ts';

/** The recommended pause before the next address is tried beside the others (RFC 8305 §5, §8). */
const pauseMs = 250;
/** Of TLS, after TCP; ocserv's takes up to three, and computes. */
const roundTrips = 4;

type Failed = Extract<GatewayTlsResult, { ok: false }>;

export interface AddressTry {
  /** Aborted when another address has won: the one that wins may still find out what passes on the way to it. */
  signal: AbortSignal;
  /**
   * TCP is there, after so many milliseconds: TLS gets the time of its round trips before the next address is tried.
   */
  onConnected: (tookMs: number) => void;
}

/**
 * Opens TLS at whichever of the gateway's addresses answers first. They are tried in this order, the next one when the
 * last one has failed, or has not answered within the pause; earlier ones go on meanwhile. TLS has to be made, with the
 * gateway's key: behind some addresses is a host that takes connections, and no gateway. The others are then closed,
 * before anything but the handshake was sent. If all fail, the result is that of which most is known. `until`: gives
 * up.
 */
export async function openFirst<Opened extends { ok: true }>(
  addresses: readonly string[],
  open: (address: string, one: AddressTry) => Promise<Opened | Failed>,
  close: (opened: Opened) => void,
  until?: AbortSignal,
): Promise<Opened | Failed> {
  const over = new AbortController();
  const signal = until ? AbortSignal.any([until, over.signal]) : over.signal;
  const failures: Failed[] = [];
  const won = Promise.withResolvers<Opened>();
  const losers = new Set<AbortController>();
  const run = async (address: string, pause: Pause) => {
    const lost = new AbortController();
    losers.add(lost);
    const result = await open(address, {
      signal: until ? AbortSignal.any([until, lost.signal]) : lost.signal,
      onConnected: (tookMs) => pause.prolong(roundTrips * tookMs),
    });
    losers.delete(lost);
    if (!result.ok) failures.push(result);
    // It was made in the moment in which another one won.
    else if (over.signal.aborted) close(result);
    else {
      over.abort();
      for (const one of losers) one.abort();
      won.resolve(result);
    }
  };
  const all = (async () => {
    const runs: Promise<void>[] = [];
    for (const address of addresses) {
      if (signal.aborted) break;
      const pause = beginPause(signal);
      const mine = run(address, pause);
      runs.push(mine);
      await Promise.race([mine, pause.over]);
    }
    await Promise.all(runs);
    return mostTelling(failures);
  })();
  return await Promise.race([won.promise, all]);
}

interface Pause {
  readonly over: Promise<void>;
  /** It is over after the usual time and this, from now on. */
  prolong(byMs: number): void;
}

function beginPause(signal: AbortSignal): Pause {
  const { promise: over, resolve } = Promise.withResolvers<void>();
  let stop = waitToTheEnd(pauseMs, resolve);
  signal.addEventListener('abort', () => {
    stop();
    resolve();
  });
  return {
    over,
    prolong(byMs) {
      stop();
      if (!signal.aborted) stop = waitToTheEnd(pauseMs + byMs, resolve);
    },
  };
}

const nothingTried = { ok: false, failure: 'gateway-unreachable', detail: 'no address' } as const;

/** That there is no route says something only of one IP version, and a host with another key only of its address. */
function mostTelling(failures: readonly Failed[]): Failed {
  const [first = nothingTried] = failures;
  const known = failures.filter(({ cause }) => cause !== 'gateway-without-route');
  return (
    failures.find(({ failure }) => failure === 'certificate-required') ??
    known.find((one) => one.failure === 'gateway-unreachable' && one.cause !== undefined) ??
    known.find(({ failure }) => failure === 'gateway-unreachable') ??
    known[0] ??
    first
  );
}
