import { useEffect } from 'react';
import { useApi } from '../api/use-api.ts';
import { useLanguage } from '../i18n/language-context.tsx';
import { overlayTranslations } from '../i18n/setup.ts';

/** Lets the service change texts without a new version of the app. */
export function useServiceTranslations(): void {
  const language = useLanguage();
  const { data } = useApi('translations', { params: { lang: language } });
  useEffect(() => {
    if (data) overlayTranslations(language, data);
  }, [data, language]);
}
