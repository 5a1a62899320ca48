import { notifyManager, type QueryPersister } from '@tanstack/react-query';
import { language } from '#shared/entities.ts';
import type { Host, PageCallName } from '#shared/host/contract.ts';
import { storageKeys } from '../platform/storage-keys.ts';
import { readStored, storedAnswer } from '../platform/stored-answer.ts';

type Parameters = Partial<Record<string, string>>;

const persisted: Partial<Record<PageCallName, (params: Parameters) => string | undefined>> = {
  userInfo: () => storageKeys.user,
  basicInfo: () => storageKeys.basicInfo,
  myService: () => storageKeys.myService,
  serverGroups: () => storageKeys.serverGroups,
  translations({ lang }) {
    const parsed = language.safeParse(lang);
    return parsed.success ? storageKeys.translations(parsed.data) : undefined;
  },
};

/** Where a call's answer is stored, or undefined if it is kept in memory only. */
export function storageKeyOf(name: PageCallName, params: Parameters = {}): string | undefined {
  return persisted[name]?.(params);
}

interface PersistenceOptions<Data> {
  storage: Host['storage'];
  key: string;
  /** The data if it still is what the app understands, or undefined. */
  read: (stored: unknown) => Data | undefined;
  onStorageFailure: () => void;
}

/**
 * Keeps a query's data under one key of the page's storage. A query without data begins with the stored one, and
 * is then fetched again if that is stale and somebody still looks on. What is not understood any more is dropped.
 */
export function queryPersister<Data>(options: PersistenceOptions<Data>): QueryPersister<Data> {
  const { storage, key, read, onStorageFailure } = options;
  return async (queryFn, context, query) => {
    if (query.state.data === undefined) {
      const stored = readStored(read, await storage.get(key));
      if (stored) {
        // Once the query has settled with the stored data as if it were new: give it its true age.
        notifyManager.schedule(() => {
          query.setState({ dataUpdatedAt: stored.at });
          if (query.isStale()) query.fetch().catch(() => undefined);
        });
        return stored.data;
      }
    }
    const data = await queryFn(context);
    if (!(await storage.set({ key, value: storedAnswer(data) }))) onStorageFailure();
    return data;
  };
}
