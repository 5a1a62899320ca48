import type { Query, QueryClient } from '@tanstack/react-query';
import type { Host, PageCallName } from '#shared/host/contract.ts';
import { storageKeyOf } from './query-persister.ts';

/** Answers about an account that others change too: a purchase in another window, the payer, the operator. */
const names = ['userInfo', 'myService', 'serverGroups', 'invitations'] as const satisfies PageCallName[];

const isOfAccount = ({ queryKey: [name] }: Query) => names.some((one) => one === name);

/** Asks for what is displayed of the account, and for the rest when it is next displayed. Rejects if an answer fails. */
export const refreshAccount = (queries: QueryClient): Promise<void> =>
  queries.invalidateQueries({ predicate: isOfAccount }, { throwOnError: true });

/** Has the page that is loaded next ask for them. */
export async function forgetAccount(storage: Host['storage']): Promise<void> {
  const keys = names.map((name) => storageKeyOf(name)).filter((key) => key !== undefined);
  await Promise.allSettled(keys.map((key) => storage.remove(key)));
}
