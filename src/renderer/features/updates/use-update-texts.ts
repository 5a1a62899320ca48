import { fillPlaceholders } from '#shared/texts/placeholders.ts';
import { updateTexts, type UpdateTextKey } from '#shared/texts/update-texts.ts';
import { useLanguage } from '../../i18n/language-context.tsx';

/** Texts that are loaded with what shows them, in the language of the others. */
export function useUpdateTexts(): (key: UpdateTextKey, values?: Readonly<Record<string, string>>) => string {
  const texts = updateTexts[useLanguage()];
  return (key, values = {}) => fillPlaceholders(texts[key], values);
}
