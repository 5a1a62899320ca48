import type { InTurn } from '#shared/api/token-refusals.ts';
import { callTimeoutSeconds } from '#shared/constants.ts';
import { createSerialQueue } from '#shared/serial-queue.ts';
import { afterRunning } from '../after-running.ts';

/**
 * Has one page after the other sign in or out, of all of this browser (Web Locks API). A page that the browser freezes
 * meanwhile keeps its turn (https://github.com/supabase/supabase-js/issues/2426), and a browser may refuse to give any:
 * others go on without it, once they have waited as long as for an answer of the service.
 */
export function pagesInTurn(locks: Pick<LockManager, 'request'>): InTurn {
  const inTurnHere = createSerialQueue();
  return async (action) => {
    let begun: ReturnType<typeof action> | undefined;
    const begin = () => (begun ??= action());
    const late = new AbortController();
    const stopWaiting = afterRunning(callTimeoutSeconds, () => late.abort());
    await locks.request('waymaker-session', { signal: late.signal }, begin).catch(() => undefined);
    stopWaiting();
    return await (begun ?? inTurnHere(begin));
  };
}
