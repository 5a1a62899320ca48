import type { Language } from './entities.ts';

/** The language of ours that suits the user's ordered preferences (BCP 47 tags); English if none does. */
export function chooseLanguage(preferred: readonly string[]): Language {
  for (const tag of preferred) {
    const language = languageOf(tag);
    if (language) return language;
  }
  return 'en';
}

/** Chinese is told apart by script; the likely one of a tag without (`zh-TW`, `zh-HK`) is known to ICU. */
function languageOf(tag: string): Language | undefined {
  if (!/^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*$/.test(tag)) return undefined;
  let locale: Intl.Locale;
  try {
    locale = new Intl.Locale(tag).maximize();
  } catch {
    return undefined;
  }
  if (locale.language === 'en') return 'en';
  if (locale.language !== 'zh') return undefined;
  return locale.script === 'Hant' ? 'zh-hant' : 'zh-hans';
}

/** The tag that HTML and Intl want; the script subtag also chooses the right Han glyphs. */
export const languageTags: Record<Language, string> = {
  en: 'en',
  'zh-hans': 'zh-Hans',
  'zh-hant': 'zh-Hant',
};
