import type { Language } from '#shared/entities.ts';
import { chooseLanguage } from '#shared/language.ts';

/** The language to answer in, from an Accept-Language header (RFC 9110 §12.5.4); English if none fits. */
export function preferredLanguage(acceptLanguage: string | undefined): Language {
  if (acceptLanguage === undefined) return chooseLanguage([]);
  const wanted = acceptLanguage
    .slice(0, 512)
    .split(',')
    .map((range) => {
      const [tag = '', ...parameters] = range.split(';').map((part) => part.trim());
      const quality = parameters.find((parameter) => /^q=/i.test(parameter))?.slice(2);
      return { tag, quality: quality === undefined ? 1 : Number(quality) };
    })
    .filter(({ quality }) => quality > 0)
    .sort((a, b) => b.quality - a.quality);
  return chooseLanguage(wanted.map(({ tag }) => tag));
}
