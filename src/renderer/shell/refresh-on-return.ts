import type { QueryClient } from '@tanstack/react-query';
import { refreshAccount } from '../api/account-answers.ts';

/** Who switches windows to and fro is asked for no more often. */
const minAgeMs = 5_000;

/** Asks for the account again when the user comes back from another window: they may have bought a plan there. */
export function refreshOnReturn(queries: QueryClient): void {
  let isAway = false;
  let refreshedAt = -Infinity;
  const onLeave = () => {
    isAway = true;
  };
  const onReturn = () => {
    if (!isAway || performance.now() - refreshedAt < minAgeMs) return;
    isAway = false;
    refreshedAt = performance.now();
    // What fails stays as it was, and the pages that show it say so.
    refreshAccount(queries).catch(() => undefined);
  };
  addEventListener('blur', onLeave);
  addEventListener('focus', onReturn);
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') onReturn();
    else onLeave();
  });
  // From the browser's back/forward cache: the page has not been loaded again.
  addEventListener('pageshow', ({ persisted }) => {
    if (!persisted) return;
    onLeave();
    onReturn();
  });
}
