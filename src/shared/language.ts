import type { Language } from './entities.ts';

/** The supported language that suits the user's ordered preferences best (BCP 47 tags); English if none does. */
export function chooseLanguage(preferred: readonly string[]): Language {
  for (const tag of preferred) {
    const language = languageOf(tag);
    if (language) return language;
  }
  return 'en';
}

/** The first of these tags that one of our languages suits, or else the first; empty if there is none. */
export const preferredTag = (preferred: readonly string[]): string =>
  preferred.find((tag) => languageOf(tag) !== undefined) ?? preferred[0] ?? '';

/** Chinese is distinguished by script. For a tag without one (`zh-TW`, `yue`), ICU knows the likely script. */
function languageOf(given: string): Language | undefined {
  const tag = modernTag(given.trim().replaceAll('_', '-'));
  if (!/^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*$/.test(tag)) return undefined;
  // Without ICU, whose first use takes a browser several milliseconds.
  if (/^en(?:-|$)/i.test(tag)) return 'en';
  try {
    const { language, script = '', region } = new Intl.Locale(tag).maximize();
    if (script === 'Hans') return 'zh-hans';
    if (script === 'Hant') return 'zh-hant';
    if (!chineseLanguages.has(language) && !['Hani', 'Hanb', 'Bopo'].includes(script)) return undefined;
    // In Latin letters, for example: what those who write it read depends on where they are.
    return new Intl.Locale('zh', region ? { region } : {}).maximize().script === 'Hant'
      ? 'zh-hant'
      : 'zh-hans';
  } catch {
    return undefined;
  }
}

/** The languages that `zh` stands for (ISO 639-3): ICU does not know a script in Han characters for all of them. */
const chineseLanguages: ReadonlySet<string> = new Set(
  'zh cdo cjy cmn cnp cpx csp czh czo gan hak hnm hsn luh lzh mnp nan sjc wuu yue'.split(' '),
);

/** Registered tags that are not made of subtags (RFC 5646 §2.2.8), or are made differently now. */
const irregularTags = [
  [/^(?:i-hak|zh-hakka)(?=-|$)/i, 'hak'],
  [/^zh-guoyu(?=-|$)/i, 'cmn'],
  [/^zh-xiang(?=-|$)/i, 'hsn'],
  // Windows' names before it had scripts.
  [/^zh-chs(?=-|$)/i, 'zh-Hans'],
  [/^zh-cht(?=-|$)/i, 'zh-Hant'],
  [/^zh-min(?:-nan)?(?=-|$)/i, 'nan'],
  // A language after `zh` (`zh-yue-HK`, §2.2.2) is written alone now, and `Intl` takes it only so.
  [/^zh-(?=[a-z]{3}(?:-|$))/i, ''],
] as const;

function modernTag(tag: string): string {
  const [pattern, modern] = irregularTags.find(([irregular]) => irregular.test(tag)) ?? [/^/, ''];
  return tag.replace(pattern, modern);
}

/** The tag for HTML and Intl; the script subtag also selects the right Han glyphs. */
export const languageTags: Record<Language, string> = {
  en: 'en',
  'zh-hans': 'zh-Hans',
  'zh-hant': 'zh-Hant',
};
