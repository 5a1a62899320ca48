import { texts, type TextLanguage } from '../support/screens/texts.ts';

/** For the processes of the test runner, which take no words of their own. */
const variable = 'WAYMAKER_SCREENSHOT_LANGUAGES';

const isLanguage = (word: string): word is TextLanguage => Object.hasOwn(texts, word);

/** What the environment of the runner has for these languages; undefined if one is none. English, if none is named. */
export function environmentFor(words: readonly string[]): Record<string, string> | undefined {
  return words.every(isLanguage) ? { [variable]: words.join(' ') || 'en' } : undefined;
}

export const screenshotLanguages = (): TextLanguage[] =>
  (process.env[variable] ?? 'en').split(' ').filter(isLanguage);
