import type { GatewayTlsResult } from './gateway-tls.ts';

/** The recommended pause before the next address is tried beside the others (RFC 8305 §5, §8). */
const pauseMs = 250;

type Failed = Extract<GatewayTlsResult, { ok: false }>;

/**
 * Opens TLS at whichever of the gateway's addresses answers first. They are tried in this order, the next one when the
 * last one has failed, or has not been made within the pause; earlier ones go on meanwhile. TLS has to be made, with the
 * gateway's key: behind some addresses is a host that takes connections, and no gateway. The others are then closed,
 * before anything but the handshake was sent. If all fail, the result is that of which most is known.
 */
export async function openFirst<Opened extends { ok: true }>(
  addresses: readonly string[],
  open: (address: string, signal: AbortSignal) => Promise<Opened | Failed>,
  close: (opened: Opened) => void,
): Promise<Opened | Failed> {
  const over = new AbortController();
  const failures: Failed[] = [];
  const won = Promise.withResolvers<Opened>();
  const run = async (address: string) => {
    const result = await open(address, over.signal);
    if (!result.ok) failures.push(result);
    // It was made in the moment in which another one won.
    else if (over.signal.aborted) close(result);
    else {
      over.abort();
      won.resolve(result);
    }
  };
  const all = (async () => {
    const runs: Promise<void>[] = [];
    for (const address of addresses) {
      if (over.signal.aborted) break;
      const mine = run(address);
      runs.push(mine);
      await Promise.race([mine, pause(over.signal)]);
    }
    await Promise.all(runs);
    return mostTelling(failures);
  })();
  return await Promise.race([won.promise, all]);
}

const pause = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, pauseMs);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });

const nothingTried = { ok: false, failure: 'gateway-unreachable', detail: 'no address' } as const;

/** That there is no route says something only of one IP version, and a host with another key only of its address. */
function mostTelling(failures: readonly Failed[]): Failed {
  const [first = nothingTried] = failures;
  const known = failures.filter(({ cause }) => cause !== 'gateway-without-route');
  return (
    failures.find(({ failure }) => failure === 'certificate-required') ??
    known.find(({ cause }) => cause !== undefined) ??
    known.find(({ failure }) => failure === 'gateway-unreachable') ??
    known[0] ??
    first
  );
}
