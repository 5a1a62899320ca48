import type { QueryClient } from '@tanstack/react-query';
import { refreshAccount } from '../api/account-answers.ts';

/** The minimum interval for users who switch windows often. */
const minAgeMs = 5_000;

/** Requests the account again when the user comes back from another window, where they may have bought a plan. */
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
  // From the browser's back/forward cache: the page was not loaded again.
  addEventListener('pageshow', ({ persisted }) => {
    if (!persisted) return;
    onLeave();
    onReturn();
  });
}
