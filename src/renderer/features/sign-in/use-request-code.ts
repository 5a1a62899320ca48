import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ApiResult } from '#shared/api/result.ts';
import { failureText } from '../../api/api-failure.ts';
import { useLanguage } from '../../i18n/language-context.tsx';
import { useHost } from '../../platform/host-context.tsx';
import { storageKeys } from '../../platform/storage/storage-keys.ts';
import { showError } from '../../ui/messages/toast.ts';
import { writeSentCode } from './sent-code.ts';

/**
 * Requests a code for an email. `send` resolves with the authId to verify with; failures have been shown to the user.
 */
export function useRequestCode(): {
  busy: boolean;
  send(email: string): Promise<ApiResult<{ authId: string }>>;
} {
  const { t } = useTranslation();
  const host = useHost();
  const language = useLanguage();
  const [busy, setBusy] = useState(false);

  const send = async (email: string) => {
    setBusy(true);
    const result = await host.session
      .requestCode({ email, language })
      .catch((): ApiResult<never> => ({ ok: false, failure: { kind: 'network' } }));
    setBusy(false);
    if (!result.ok) {
      showError(failureText(result.failure, t, 'error.send'));
      return result;
    }
    const { authId } = result.data;
    const sent = writeSentCode({ email, authId, at: Date.now(), wrong: 0 });
    const stored = await Promise.all([
      host.storage.set({ key: storageKeys.lastEmail, value: email }),
      host.storage.set({ key: storageKeys.codeSent, value: sent }),
    ]);
    if (stored.includes(false)) showError(t('error.storage'));
    return result;
  };
  return { busy, send };
}
