import { acceptedTranslations, fillPlaceholders } from '#shared/texts/placeholders.ts';
import { updateTexts, type UpdateTextKey } from '#shared/texts/update-texts.ts';
import { useApi } from '../../api/use-api.ts';
import { useLanguage } from '../../i18n/language-context.tsx';

/**
 * Texts that are loaded with what shows them, in the language of the others, and replaced by the operator's like the
 * others.
 */
export function useUpdateTexts(): (key: UpdateTextKey, values?: Readonly<Record<string, string>>) => string {
  const language = useLanguage();
  // The app's frame has asked for them.
  const { data: operators = {} } = useApi('translations', { params: { lang: language }, enabled: false });
  const ours = updateTexts[language];
  const texts = { ...ours, ...acceptedTranslations(ours, operators) };
  return (key, values = {}) => fillPlaceholders(texts[key], values);
}
