import type { Language, Translations } from '../entities.ts';
import { desktopTexts, type DesktopTextKey } from './desktop-texts.ts';
import { en } from './en.ts';
import { fillPlaceholders, havePlaceholdersOf } from './placeholders.ts';
import type { TextKey, Texts } from './texts.ts';
import { zhHans } from './zh-hans.ts';
import { zhHant } from './zh-hant.ts';

/** A text in one language, with its placeholders filled. */
export type Say = (key: TextKey | DesktopTextKey, values?: Readonly<Record<string, string>>) => string;

const pageTexts: Record<Language, Texts> = { en, 'zh-hans': zhHans, 'zh-hant': zhHant };

/**
 * What the app says outside of its pages, where i18next is not: the pages' own texts, and the desktop's, with the
 * operator's in their places.
 */
export function createSay(
  language: Language | (() => Language),
  operatorTexts: (language: Language) => Translations = () => ({}),
): Say {
  return (key, values = {}) => {
    const now = typeof language === 'function' ? language() : language;
    const ours = textIn(now, key);
    const operators = operatorTexts(now)[key];
    const isTaken = operators !== undefined && havePlaceholdersOf(ours, operators);
    return fillPlaceholders(isTaken ? operators : ours, values);
  };
}

const textIn = (language: Language, key: TextKey | DesktopTextKey): string =>
  isDesktopKey(key) ? desktopTexts[language][key] : pageTexts[language][key];

const isDesktopKey = (key: TextKey | DesktopTextKey): key is DesktopTextKey =>
  Object.hasOwn(desktopTexts.en, key);
