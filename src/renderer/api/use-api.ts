import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { apiCalls, type ApiCalls, type ApiData } from '#shared/api/calls.ts';
import type { ApiParameters } from '#shared/api/call.ts';
import type { PageCallName } from '#shared/host/contract.ts';
import { useLanguage } from '../i18n/language-context.tsx';
import { useHost } from '../platform/host-context.tsx';
import { showError } from '../ui/toast.ts';
import { callApi, readApiData } from './call-api.ts';
import { queryPersister, storageKeyOf } from './query-persister.ts';

interface UseApiOptions<Name extends PageCallName> {
  params?: ApiParameters<ApiCalls[Name]>;
  enabled?: boolean;
  refetchSeconds?: number;
  /** Codes that the page deals with itself; any other is told in the service's words (specification §8). */
  handles?: readonly number[];
}

/** A call of the API contract as a query: kept as long as the contract says, and over a restart where §3 says so. */
export function useApi<Name extends PageCallName>(
  name: Name,
  { params, enabled = true, refetchSeconds, handles = [] }: UseApiOptions<Name> = {},
): UseQueryResult<ApiData<Name>> {
  const host = useHost();
  const language = useLanguage();
  const { t } = useTranslation();
  const key = storageKeyOf(name, params);
  return useQuery<ApiData<Name>>({
    queryKey: params ? [name, params] : [name],
    queryFn: () => callApi(host, name, { params }, language),
    staleTime: apiCalls[name].cacheSeconds * 1000,
    gcTime: Number.POSITIVE_INFINITY,
    persister:
      key === undefined
        ? undefined
        : queryPersister({
            storage: host.storage,
            key,
            read: (stored) => readApiData(name, stored),
            onStorageFailure: () => showError(t('error.storage')),
          }),
    refetchInterval: refetchSeconds === undefined ? false : refetchSeconds * 1000,
    enabled,
    meta: { handles },
  });
}
