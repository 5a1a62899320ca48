import { connectivityProbe } from '#shared/constants.ts';
import { whileVisible } from '../../platform/while-visible.ts';

interface Watch {
  /** Whether the network can be reached now. */
  probe: () => Promise<boolean>;
  onResult: (reachable: boolean) => void;
}

/**
 * Probes every 30 s, whenever the browser reports that it went online or offline (specification §4), and at the start
 * if it is offline; not while the page is hidden. Returns a function that ends it.
 */
export function watchReachability({ probe, onResult }: Watch): () => void {
  let newest = 0;
  let probedAt = Date.now();
  const everyMs = connectivityProbe.everySeconds * 1000;
  const isSeen = () => document.visibilityState === 'visible';

  const look = async () => {
    if (!isSeen()) return;
    newest += 1;
    const mine = newest;
    probedAt = Date.now();
    const reachable = await probe();
    // Ignore the result if there is a later probe, or nobody waits for it any more.
    if (mine === newest) onResult(reachable);
  };
  const now = () => void look();
  const whenSeenAgain = () => {
    if (Date.now() - probedAt >= everyMs) now();
  };
  const endProbing = whileVisible({ everyMs, action: now, again: whenSeenAgain });
  window.addEventListener('online', now);
  window.addEventListener('offline', now);
  if (!navigator.onLine) now();
  return () => {
    newest += 1;
    endProbing();
    window.removeEventListener('online', now);
    window.removeEventListener('offline', now);
  };
}
