import { notifyManager, type QueryPersister } from '@tanstack/react-query';
import * as z from 'zod/mini';
import { language } from '#shared/entities.ts';
import type { Host, PageCallName } from '#shared/host/contract.ts';
import { storageKeys } from '../platform/storage-keys.ts';

type Parameters = Partial<Record<string, string>>;

const persisted: Partial<Record<PageCallName, (params: Parameters) => string | undefined>> = {
  userInfo: () => storageKeys.user,
  basicInfo: () => storageKeys.basicInfo,
  myService: () => storageKeys.myService,
  translations({ lang }) {
    const parsed = language.safeParse(lang);
    return parsed.success ? storageKeys.translations(parsed.data) : undefined;
  },
  pac: () => storageKeys.pac,
  ipv4Prefixes: ({ country }) => (country === undefined ? undefined : storageKeys.ipv4Prefixes(country)),
};

/** Where a call's answer is stored, or undefined if it is kept in memory only. */
export function storageKeyOf(name: PageCallName, params: Parameters = {}): string | undefined {
  return persisted[name]?.(params);
}

interface PersistenceOptions<Data> {
  storage: Host['storage'];
  key: string;
  /** How old, in milliseconds, stored data may be to stand in for what is asked for. */
  maxAge: number;
  /** The data if it still is what the app understands, or undefined. */
  read: (stored: unknown) => Data | undefined;
  onStorageFailure: () => void;
}

/**
 * Keeps a query's data under one key of the page's storage. A query without data begins with the stored one, and
 * is then fetched again if that is stale and somebody still looks on. What is not understood any more is dropped.
 */
export function queryPersister<Data>(options: PersistenceOptions<Data>): QueryPersister<Data> {
  const { storage, key, maxAge, read, onStorageFailure } = options;
  return async (queryFn, context, query) => {
    if (query.state.data === undefined) {
      const stored = readStored(read, await storage.get(key));
      if (stored && Date.now() - stored.at <= maxAge) {
        // Once the query has settled with the stored data as if it were new: give it its true age.
        notifyManager.schedule(() => {
          query.setState({ dataUpdatedAt: stored.at });
          if (query.isStale()) query.fetch().catch(() => undefined);
        });
        return stored.data;
      }
    }
    const data = await queryFn(context);
    const value = JSON.stringify({ data, at: Date.now() });
    if (!(await storage.set({ key, value }))) onStorageFailure();
    return data;
  };
}

const entry = z.object({ data: z.unknown(), at: z.number() });

/** A stored answer and when it was fetched, or undefined if `text` is none. */
export function readStored<Data>(
  read: (stored: unknown) => Data | undefined,
  text: string | null,
): { data: Data; at: number } | undefined {
  const stored = entry.safeParse(text === null ? undefined : parseJson(text));
  const data = stored.success ? read(stored.data.data) : undefined;
  if (!stored.success || data === undefined) return undefined;
  // From the future, because the clock was set back: of unknown age, so old.
  return { data, at: stored.data.at > Date.now() ? 0 : stored.data.at };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
