import type { QueryClient } from '@tanstack/react-query';
import type { AccountChange } from '#shared/api/events.ts';
import type { Host } from '#shared/host/contract.ts';
import { noteAccountChange, refreshAccount, refreshLoaded } from '../api/account-answers.ts';

/** Requests again what has changed according to the service; a hidden page does so when it becomes visible. */
export function refreshOnChange(host: Pick<Host, 'account' | 'storage'>, queries: QueryClient): void {
  const waiting = new Set<AccountChange>();
  let isFollowed = false;

  function refresh(): void {
    if (document.visibilityState !== 'visible') return;
    if (isFollowed) void refreshLoaded(queries);
    isFollowed = false;
    if (waiting.size === 0) return;
    const changes = [...waiting];
    waiting.clear();
    // What fails stays as it was, and the pages that show it say so.
    refreshAccount(queries, changes).catch(() => undefined);
  }

  host.account.followed(() => {
    isFollowed = true;
    refresh();
  });
  host.account.changed((changes) => {
    noteAccountChange(host.storage).catch(() => undefined);
    for (const change of changes) waiting.add(change);
    refresh();
  });
  document.addEventListener('visibilitychange', refresh);
}
