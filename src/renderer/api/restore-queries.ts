import type { QueryClient } from '@tanstack/react-query';
import type { Language } from '#shared/entities.ts';
import type { Host, PageCallName } from '#shared/host/contract.ts';
import { readStored } from '../platform/stored-answer.ts';
import { readApiData } from './call-api.ts';
import { queryKeyOf } from './query-key.ts';
import { storageKeyOf } from './query-persister.ts';

/**
 * Takes the stored answers that pages begin with, each with its true age: the first page then shows them at once,
 * and nothing in their places before. Whatever cannot be read is asked for as if it had never been stored.
 */
export async function restoreQueries(
  queries: QueryClient,
  storage: Host['storage'],
  language: Language,
): Promise<void> {
  const restore = async (name: PageCallName, params?: { lang: Language }) => {
    const key = storageKeyOf(name, params);
    if (key === undefined) return;
    const text = await storage.get(key).catch(() => null);
    const stored = readStored((data) => readApiData(name, data), text);
    if (stored) queries.setQueryData(queryKeyOf(name, { params }), stored.data, { updatedAt: stored.at });
  };
  await Promise.all([
    restore('userInfo'),
    restore('basicInfo'),
    restore('myService'),
    restore('serverGroups'),
    restore('translations', { lang: language }),
  ]);
}
