import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { useApi } from '../api/use-api.ts';
import { useLanguage } from '../i18n/language-context.tsx';
import { overlayTranslations } from '../i18n/setup.ts';

/** Lets the service change texts without a new version of the app. */
export function useServiceTranslations(): void {
  const language = useLanguage();
  const { i18n } = useTranslation();
  const { data } = useApi('translations', { params: { lang: language } });
  useEffect(() => {
    if (data) overlayTranslations(i18n, language, data);
  }, [data, i18n, language]);
}
