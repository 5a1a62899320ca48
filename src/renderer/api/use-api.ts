import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { apiCalls, type ApiData } from '#shared/api/calls.ts';
import type { PageCallName } from '#shared/host/common-contract.ts';
import { useLanguage } from '../i18n/language-context.tsx';
import { useHost } from '../platform/host-context.tsx';
import { showError } from '../ui/messages/toast.ts';
import { callApi, readApiData, type PageCallInput } from './call-api.ts';
import { queryKeyOf } from './query-key.ts';
import { queryPersister, storageKeyOf } from './query-persister.ts';

interface ApiQuery<Name extends PageCallName> extends PageCallInput<Name> {
  /** Codes that the page handles itself; others are reported in the service's words (specification §8). */
  handles?: readonly number[];
}

interface UseApiOptions<Name extends PageCallName> extends ApiQuery<Name> {
  enabled?: boolean;
  refetchSeconds?: number;
}

/** A call of the API contract as a query: cached as long as the contract says, and over a restart where §3 says so. */
export function useApi<Name extends PageCallName>(
  name: Name,
  { enabled = true, refetchSeconds, ...query }: UseApiOptions<Name> = {},
): UseQueryResult<ApiData<Name>> {
  const queryOf = useQueryOf();
  return useQuery({
    ...queryOf(name, query),
    gcTime: Number.POSITIVE_INFINITY,
    refetchInterval: refetchSeconds === undefined ? false : refetchSeconds * 1000,
    enabled,
  });
}

function useQueryOf() {
  const host = useHost();
  const language = useLanguage();
  const { t } = useTranslation();
  return <Name extends PageCallName>(name: Name, { params, body, handles = [] }: ApiQuery<Name>) => {
    const key = storageKeyOf(name, params);
    return {
      queryKey: queryKeyOf(name, { params, body }),
      queryFn: () => callApi(host, name, { params, body }, language),
      staleTime: apiCalls[name].cacheSeconds * 1000,
      persister:
        key === undefined
          ? undefined
          : queryPersister<ApiData<Name>>({
              storage: host.storage,
              key,
              // However old it is, the stored answer is better than nothing until the new one arrives.
              read: (stored) => readApiData(name, stored),
              onStorageFailure: () => showError(t('error.storage')),
            }),
      meta: { handles },
    };
  };
}
