import { useMutation, useQueryClient, type UseMutationResult } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { ApiData } from '#shared/api/calls.ts';
import type { PageCallName } from '#shared/host/common-contract.ts';
import type { TextKey } from '#shared/texts/texts.ts';
import { useLanguage } from '../i18n/language-context.tsx';
import { useHost } from '../platform/host-context.tsx';
import { showError, showSuccess } from '../ui/messages/toast.ts';
import { errorText } from './api-failure.ts';
import { callApi, type PageCallInput } from './call-api.ts';
import { storageKeyOf } from './query-persister.ts';

interface UseApiMutationOptions {
  /** Calls whose answers change through this one: their stored answers are dropped. */
  changes?: readonly PageCallName[];
  /**
   * What the user is told of its outcome, on whatever page by then; `failed` where the service does not say why itself.
   */
  tells?: { done: TextKey; failed: TextKey };
}

/** A call of the API contract that changes something. */
export function useApiMutation<Name extends PageCallName>(
  name: Name,
  { changes = [], tells }: UseApiMutationOptions = {},
): UseMutationResult<ApiData<Name>, Error, PageCallInput<Name>> {
  const { t } = useTranslation();
  const host = useHost();
  const language = useLanguage();
  const queries = useQueryClient();

  /** Includes stored answers, because the next page load would start with them. */
  const drop = async (changed: PageCallName) => {
    const key = storageKeyOf(changed);
    if (key !== undefined && !(await host.storage.remove(key))) showError(t('error.delete'));
    void queries.invalidateQueries({ queryKey: [changed] });
  };
  return useMutation({
    mutationFn: (input) => callApi(host, name, input, language),
    // The host knows whether the service can be reached; the browser's `navigator.onLine` does not.
    networkMode: 'always',
    onSuccess: async () => {
      if (tells) showSuccess(t(tells.done));
      await Promise.all(changes.map(drop));
    },
    onError(error) {
      if (tells) showError(errorText(error, t, tells.failed));
    },
  });
}
