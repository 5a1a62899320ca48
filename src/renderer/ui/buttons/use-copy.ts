import { useClipboard } from '@mantine/hooks';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { showError } from '../messages/toast.ts';

/** Copies a text on demand; `copied` is true for a moment after that. A toast says what to do if it was refused. */
export function useCopy(text: string): { copied: boolean; copy: () => void } {
  const { t } = useTranslation();
  const { copied, copy, error } = useClipboard();
  useEffect(() => {
    if (error) showError(t('error.copy'));
  }, [error, t]);
  return { copied, copy: () => copy(text) };
}
