import { notifyManager, type QueryPersister } from '@tanstack/react-query';
import { language } from '#shared/entities.ts';
import type { PageCallName } from '#shared/host/common-contract.ts';
import type { Host } from '#shared/host/contract.ts';
import { storageKeys } from '../platform/storage/storage-keys.ts';
import { readStored, storedAnswer } from '../platform/storage/stored-answer.ts';

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

/** The storage key for a call's answer, or undefined if it is only kept in memory. */
export function storageKeyOf(name: PageCallName, params: Parameters = {}): string | undefined {
  return persisted[name]?.(params);
}

interface PersistenceOptions<Data> {
  storage: Host['storage'];
  key: string;
  /** The data if the app still understands it, or undefined. */
  read: (stored: unknown) => Data | undefined;
  onStorageFailure: () => void;
}

/**
 * Keeps a query's data under one key of the page's storage. A query without data starts with the stored one, which is
 * then loaded again if it is stale and still displayed. Data that the app no longer understands is dropped.
 */
export function queryPersister<Data>(options: PersistenceOptions<Data>): QueryPersister<Data> {
  const { storage, key, read, onStorageFailure } = options;
  return async (queryFn, context, query) => {
    if (query.state.data === undefined) {
      const stored = readStored(read, await storage.get(key));
      if (stored) {
        // The query has settled with the stored data as if it was new, so give it its true age.
        notifyManager.schedule(() => {
          query.setState({ dataUpdatedAt: stored.at });
          if (query.isStale()) query.fetch().catch(() => undefined);
        });
        return stored.data;
      }
    }
    const data = await queryFn(context);
    // Signed out meanwhile: the answer belongs to the account before.
    if (context.client.getQueryCache().get(query.queryHash) !== query) return data;
    if (!(await storage.set({ key, value: storedAnswer(data) }))) onStorageFailure();
    return data;
  };
}
