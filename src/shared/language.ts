import type { Language } from '#shared/entities.ts';

/** The language of ours that suits the user's ordered preferences (BCP 47 tags); English if none does. */
export function chooseLanguage(preferred: readonly string[]): Language {
  for (const tag of preferred) {
    const language = languageOf(tag);
    if (language) return language;
  }
  return 'en';
}

function languageOf(tag: string): Language | undefined {
  const [primary, ...subtags] = tag.toLowerCase().split('-');
  if (primary === 'en') return 'en';
  if (primary !== 'zh') return undefined;
  if (subtags.includes('hans')) return 'zh-hans';
  if (subtags.includes('hant')) return 'zh-hant';
  // Regions that write Chinese in traditional characters (CLDR likely subtags).
  return subtags.some((subtag) => ['tw', 'hk', 'mo'].includes(subtag)) ? 'zh-hant' : 'zh-hans';
}

/** The tag that HTML and Intl want; the script subtag also chooses the right Han glyphs. */
export const languageTags: Record<Language, string> = {
  en: 'en',
  'zh-hans': 'zh-Hans',
  'zh-hant': 'zh-Hant',
};
