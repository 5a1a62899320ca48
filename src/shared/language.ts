import type { Language } from './entities.ts';

/** The supported language that suits the user's ordered preferences best (BCP 47 tags); English if none does. */
export function chooseLanguage(preferred: readonly string[]): Language {
  for (const tag of preferred) {
    const language = languageOf(tag);
    if (language) return language;
  }
  return 'en';
}

/** Chinese is distinguished by script. For a tag without one (`zh-TW`, `zh-HK`), ICU knows the likely script. */
function languageOf(tag: string): Language | undefined {
  if (!/^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*$/.test(tag)) return undefined;
  // Without ICU, whose first use takes a browser several milliseconds.
  if (/^en(?:-|$)/i.test(tag)) return 'en';
  let locale: Intl.Locale;
  try {
    locale = new Intl.Locale(tag).maximize();
  } catch {
    return undefined;
  }
  if (locale.language !== 'zh') return undefined;
  return locale.script === 'Hant' ? 'zh-hant' : 'zh-hans';
}

/** The tag for HTML and Intl; the script subtag also selects the right Han glyphs. */
export const languageTags: Record<Language, string> = {
  en: 'en',
  'zh-hans': 'zh-Hans',
  'zh-hant': 'zh-Hant',
};
