import type { Language } from '#shared/entities.ts';

/**
 * The language to answer in, from an Accept-Language header (RFC 9110 §12.5.4); English when nothing fits.
 * Chinese is told apart by script: the likely script of a tag without one (`zh-TW`, `zh-HK`) is known to ICU.
 */
export function preferredLanguage(acceptLanguage: string | undefined): Language {
  const wanted = (acceptLanguage ?? '')
    .slice(0, 512)
    .split(',')
    .map((range) => {
      const [tag = '', ...parameters] = range.split(';').map((part) => part.trim());
      const quality = parameters.find((parameter) => /^q=/i.test(parameter))?.slice(2);
      return { tag, quality: quality === undefined ? 1 : Number(quality) };
    })
    .filter(({ quality }) => quality > 0)
    .sort((a, b) => b.quality - a.quality);
  for (const { tag } of wanted) {
    const found = supportedLanguage(tag);
    if (found) return found;
  }
  return 'en';
}

function supportedLanguage(tag: string): Language | undefined {
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
