import type { QueryClient } from '@tanstack/react-query';
import type { Language } from '#shared/entities.ts';
import type { PageCallName } from '#shared/host/common-contract.ts';
import type { Host } from '#shared/host/contract.ts';
import { storageKeys } from '../platform/storage/storage-keys.ts';
import { readStored } from '../platform/storage/stored-answer.ts';
import { readApiData } from './call-api.ts';
import { queryKeyOf } from './query-key.ts';
import { storageKeyOf } from './query-persister.ts';

/**
 * Restores the stored answers that pages start with, each with its true age, or as stale if the account has changed
 * since. So the first page shows them at once, without placeholders. What cannot be read is requested as if it had
 * never been stored.
 */
export async function restoreQueries(
  queries: QueryClient,
  storage: Host['storage'],
  language: Language,
): Promise<void> {
  const read = (key: string) => storage.get(key).catch(() => null);
  const changedAt = read(storageKeys.accountChangedAt).then((text) => Number(text ?? 0));
  const restore = async (name: PageCallName, params?: { lang: Language }, oldBefore = 0) => {
    const key = storageKeyOf(name, params);
    if (key === undefined) return;
    const stored = readStored((data) => readApiData(name, data), await read(key));
    if (!stored) return;
    const updatedAt = stored.at < oldBefore ? 0 : stored.at;
    queries.setQueryData(queryKeyOf(name, { params }), stored.data, { updatedAt });
  };
  const restoreOfAccount = async (name: PageCallName) => restore(name, undefined, await changedAt);
  await Promise.all([
    restoreOfAccount('userInfo'),
    restore('basicInfo'),
    restoreOfAccount('myService'),
    restoreOfAccount('serverGroups'),
    restore('translations', { lang: language }),
  ]);
}
