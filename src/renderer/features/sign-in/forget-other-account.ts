import type { QueryClient } from '@tanstack/react-query';
import { accountChanges } from '#shared/api/events.ts';
import type { User } from '#shared/entities.ts';
import type { Host } from '#shared/host/contract.ts';
import { changesWith } from '../../api/account-answers.ts';
import { queryKeyOf } from '../../api/query-key.ts';

const isAboutAccount = changesWith(accountChanges);

/**
 * Before somebody signs in with this address where nobody is signed in: drops what is still here about another account,
 * from memory and from the page's storage. It is here if that account's session ended without a sign-out, as one that
 * was only kept in memory does with the app. False if the storage could not be cleared.
 */
export async function forgetOtherAccount(
  queries: QueryClient,
  storage: Pick<Host['storage'], 'clear'>,
  email: string,
): Promise<boolean> {
  if (queries.getQueryCache().findAll({ predicate: isAboutAccount }).length === 0) return true;
  const known = queries.getQueryData<User>(queryKeyOf('userInfo'));
  // The service ignores the case of an address.
  if (known?.email.toLowerCase() === email.toLowerCase()) return true;
  queries.removeQueries({ predicate: isAboutAccount });
  return await storage.clear().catch(() => false);
}
