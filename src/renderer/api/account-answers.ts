import type { Query, QueryClient } from '@tanstack/react-query';
import { accountChanges, type AccountChange } from '#shared/api/events.ts';
import type { PageCallName } from '#shared/host/common-contract.ts';
import type { Host } from '#shared/host/contract.ts';
import { storageKeys } from '../platform/storage/storage-keys.ts';
import { storageKeyOf } from './query-persister.ts';

/** Answers that also change because of others: a purchase in another window, the payer, the operator. */
const answersAfter: Readonly<Record<AccountChange, readonly PageCallName[]>> = {
  entitlement: ['userInfo', 'myService', 'serverGroups', 'trafficStats', 'orders', 'members', 'myApps'],
  invitations: ['invitations', 'members'],
  devices: ['devices'],
};

/**
 * Reloads what is displayed about the account, and everything else when it is next displayed; by default everything
 * that may have changed. Rejects if an answer fails.
 */
export function refreshAccount(
  queries: QueryClient,
  changes: readonly AccountChange[] = accountChanges,
): Promise<void> {
  return queries.invalidateQueries({ predicate: changesWith(changes) }, { throwOnError: true });
}

/** Not the page's `timeOrigin`: browsers derive it from a clock that they have read long before (w3c/hr-time 115). */
const startedAt = Date.now();

/**
 * The same for what this page has loaded so far; what it has from an earlier one is as old as specification §9 allows,
 * and what is on its way comes anyway.
 */
export function refreshLoaded(queries: QueryClient): Promise<void> {
  const isAboutAccount = changesWith(accountChanges);
  const isLoaded = ({ state }: Query) => state.dataUpdatedAt >= startedAt;
  return queries.invalidateQueries({ predicate: (query) => isAboutAccount(query) && isLoaded(query) });
}

/** Matches the answers that these changes concern. */
export function changesWith(changes: readonly AccountChange[]): (query: Query) => boolean {
  const names = new Set<unknown>(changes.flatMap((change) => answersAfter[change]));
  return ({ queryKey: [name] }) => names.has(name);
}

/** Makes the next page load ask again for stored answers, although it starts with them. */
export async function noteAccountChange(storage: Host['storage']): Promise<void> {
  await storage.set({ key: storageKeys.accountChangedAt, value: String(Date.now()) });
}

/** Removes the stored answers about the account, so that the next page load displays none of them. */
export async function forgetAccount(storage: Host['storage']): Promise<void> {
  const keys = answersAfter.entitlement.map((name) => storageKeyOf(name)).filter((key) => key !== undefined);
  await Promise.allSettled(keys.map((key) => storage.remove(key)));
}
