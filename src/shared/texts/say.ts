import type { Language, Platform, Translations } from '../entities.ts';
import { commandTexts, type CommandTextKey } from './command-texts.ts';
import { desktopTexts, type DesktopTextKey } from './desktop-texts.ts';
import { en } from './en.ts';
import { fillPlaceholders, havePlaceholdersOf } from './placeholders.ts';
import { systemTexts, type SystemTextKey } from './system-texts.ts';
import type { TextKey, Texts } from './texts.ts';
import { zhHans } from './zh-hans.ts';
import { zhHant } from './zh-hant.ts';

/** A text in one language, with its placeholders filled. */
export type Say = (key: AnyTextKey, values?: Readonly<Record<string, string>>) => string;
type AnyTextKey = TextKey | DesktopTextKey | CommandTextKey;

const pageTexts: Record<Language, Texts> = { en, 'zh-hans': zhHans, 'zh-hant': zhHant };

/**
 * Texts that the app shows outside of its pages, where there is no i18next: those of the pages, the desktop and the
 * command line, as they are on this system, replaced by the operator's where there are any.
 */
export function createSay(
  language: Language | (() => Language),
  platform: Platform,
  operatorTexts: (language: Language) => Translations = () => ({}),
): Say {
  return (key, values = {}) => {
    const now = typeof language === 'function' ? language() : language;
    const ours = systemTexts(platform, now)?.[key as SystemTextKey] ?? textIn(now, key);
    const operators = operatorTexts(now)[key];
    const isTaken = operators !== undefined && havePlaceholdersOf(ours, operators);
    return fillPlaceholders(isTaken ? operators : ours, values);
  };
}

function textIn(language: Language, key: AnyTextKey): string {
  if (isCommandKey(key)) return commandTexts[language][key];
  return isDesktopKey(key) ? desktopTexts[language][key] : pageTexts[language][key];
}

const isCommandKey = (key: AnyTextKey): key is CommandTextKey => Object.hasOwn(commandTexts.en, key);

const isDesktopKey = (key: TextKey | DesktopTextKey): key is DesktopTextKey =>
  Object.hasOwn(desktopTexts.en, key);
