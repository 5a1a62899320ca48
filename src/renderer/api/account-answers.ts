import type { Query, QueryClient } from '@tanstack/react-query';
import { accountChanges, type AccountChange } from '#shared/api/events.ts';
import type { Host, PageCallName } from '#shared/host/contract.ts';
import { storageKeys } from '../platform/storage-keys.ts';
import { storageKeyOf } from './query-persister.ts';

/** Answers that others change too, by what they do: a purchase in another window, the payer, the operator. */
const answersAfter: Readonly<Record<AccountChange, readonly PageCallName[]>> = {
  entitlement: ['userInfo', 'myService', 'serverGroups', 'trafficStats', 'orders', 'members', 'myApps'],
  invitations: ['invitations', 'members'],
  devices: ['devices'],
};

/**
 * Asks for what is displayed of the account, and for the rest when it is next displayed; by default whatever may have
 * changed. Rejects if an answer fails.
 */
export function refreshAccount(
  queries: QueryClient,
  changes: readonly AccountChange[] = accountChanges,
): Promise<void> {
  const names = new Set<unknown>(changes.flatMap((change) => answersAfter[change]));
  const predicate = ({ queryKey: [name] }: Query) => names.has(name);
  return queries.invalidateQueries({ predicate }, { throwOnError: true });
}

/** Has the page that is loaded next ask again for what is stored, which it begins with all the same. */
export async function noteAccountChange(storage: Host['storage']): Promise<void> {
  await storage.set({ key: storageKeys.accountChangedAt, value: String(Date.now()) });
}

/** What is stored of the account, of which the page that is loaded next shall display nothing. */
export async function forgetAccount(storage: Host['storage']): Promise<void> {
  const keys = answersAfter.entitlement.map((name) => storageKeyOf(name)).filter((key) => key !== undefined);
  await Promise.allSettled(keys.map((key) => storage.remove(key)));
}
