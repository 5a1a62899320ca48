import type { Language } from '../entities.ts';
import { desktopTexts, type DesktopTextKey } from './desktop-texts.ts';
import { en } from './en.ts';
import type { TextKey, Texts } from './texts.ts';
import { zhHans } from './zh-hans.ts';
import { zhHant } from './zh-hant.ts';

/** A text in one language, with its placeholders filled. */
export type Say = (key: TextKey | DesktopTextKey, values?: Readonly<Record<string, string>>) => string;

const pageTexts: Record<Language, Texts> = { en, 'zh-hans': zhHans, 'zh-hant': zhHant };

/** What the app says outside of its pages, where i18next is not: the pages' own texts, and the desktop's. */
export function createSay(language: Language | (() => Language)): Say {
  return (key, values = {}) =>
    textIn(typeof language === 'function' ? language() : language, key).replaceAll(
      /\{\{\s*(\w+)\s*\}\}/g,
      (hole, name: string) => values[name] ?? hole,
    );
}

const textIn = (language: Language, key: TextKey | DesktopTextKey): string =>
  isDesktopKey(key) ? desktopTexts[language][key] : pageTexts[language][key];

const isDesktopKey = (key: TextKey | DesktopTextKey): key is DesktopTextKey =>
  Object.hasOwn(desktopTexts.en, key);
