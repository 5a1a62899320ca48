import { en } from '#shared/texts/en.ts';
import type { TextKey, Texts } from '#shared/texts/texts.ts';
import { zhHans } from '#shared/texts/zh-hans.ts';
import { zhHant } from '#shared/texts/zh-hant.ts';
import { pseudoLanguage } from './pseudo-language.ts';

/**
 * The texts of the pages in each language, by which tests find what they look for. The pseudo-language is what
 * users of English get from a service that has it for a translation.
 */
export const texts = {
  en,
  'zh-hans': zhHans,
  'zh-hant': zhHant,
  pseudo: pseudoLanguage,
} as const satisfies Record<string, Texts>;

export type TextLanguage = keyof typeof texts;

/** The languages that the product has. */
export const languages = ['en', 'zh-hans', 'zh-hant'] as const satisfies readonly TextLanguage[];

/** BCP 47 tags of users who get each language. */
export const languageTags = { en: 'en-US', 'zh-hans': 'zh-CN', 'zh-hant': 'zh-TW', pseudo: 'en-US' } as const;

/** A text of the pages as a pattern: whatever stands in for a placeholder matches. */
export function textPattern(language: TextLanguage, key: TextKey): RegExp {
  const parts = texts[language][key]
    .split(/\{\{\s*\w+\s*\}\}/)
    .map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return new RegExp(`^${parts.join('.+')}$`);
}
