import { useInfiniteQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { apiCalls, type ApiCalls, type ApiData } from '#shared/api/calls.ts';
import type { PageCallName } from '#shared/host/common-contract.ts';
import { useLanguage } from '../i18n/language-context.tsx';
import { useHost } from '../platform/host-context.tsx';
import { showError } from '../ui/messages/toast.ts';
import { errorText, refusalCode } from './api-failure.ts';
import { callApi } from './call-api.ts';
import { queryKeyOf } from './query-key.ts';

/** Calls whose answers are pages of a list. */
export type PagedCallName = {
  [Name in PageCallName]: ApiCalls[Name]['paged'] extends true ? Name : never;
}[PageCallName];
type ItemOf<Name extends PagedCallName> = ApiData<Name>['items'][number];

const itemsOnPage = 50;

export interface ApiPages<Item> {
  /** The items of all pages that were loaded so far. */
  data: { items: Item[] } | undefined;
  error: Error | null;
  refetch: () => Promise<unknown>;
  /** Loads the next page; undefined if there is none. */
  more: { load: () => void; busy: boolean } | undefined;
}

/** A list of the API that is loaded page by page. */
export function useApiPages<Name extends PagedCallName>(name: Name): ApiPages<ItemOf<Name>> {
  const { t } = useTranslation();
  const host = useHost();
  const language = useLanguage();
  const query = useInfiniteQuery({
    queryKey: queryKeyOf(name),
    queryFn: ({ pageParam: cursor }) => {
      const params = { limit: String(itemsOnPage), ...(cursor !== undefined && { cursor }) };
      return callApi<PagedCallName>(host, name, { params }, language);
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    staleTime: apiCalls[name].cacheSeconds * 1000,
    gcTime: Number.POSITIVE_INFINITY,
  });
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = query;
  /** The pages before stay, and would hide that there is no other; what the service refuses is said by itself. */
  const load = async () => {
    const { error: failure, isFetchNextPageError } = await fetchNextPage();
    if (isFetchNextPageError && failure && refusalCode(failure) === undefined)
      showError(errorText(failure, t));
  };
  return {
    data: data && { items: data.pages.flatMap(({ items }) => items as ItemOf<Name>[]) },
    error,
    refetch,
    more: hasNextPage ? { load: () => void load(), busy: isFetchingNextPage } : undefined,
  };
}
