import { readFileSync } from 'node:fs';
import path from 'node:path';
import * as z from 'zod/mini';
import { language as knownLanguage, type Language } from '#shared/entities.ts';

/** The log file of a profile's daemon. */
export const logFileOf = (profile: string): string => path.join(profile, 'logs', 'daemon.log');

const settings = z.object({ language: knownLanguage });

/** The language that the user chose in the app, if no core is asked for it; undefined if it is the system's. */
export function chosenLanguage(profile: string): Language | undefined {
  try {
    const file = readFileSync(path.join(profile, 'settings.json'), 'utf8');
    return settings.parse(JSON.parse(file)).language;
  } catch {
    return undefined;
  }
}

/**
 * BCP 47 tags from the variables that POSIX programs use (locale(7)), the most wanted first; none if they name no
 * language. LANGUAGE comes before the others, unless these ask for no translation (gettext(3)).
 */
export function systemLanguages(env: Readonly<NodeJS.ProcessEnv>): string[] {
  const locale = tagOf(env['LC_ALL'] || env['LC_MESSAGES'] || env['LANG'] || '');
  if (locale === '' || locale === 'en') return locale === '' ? [] : [locale];
  const wanted = (env['LANGUAGE'] ?? '').split(':').map(tagOf);
  return [...wanted, locale].filter((tag) => tag !== '');
}

/** A locale's name without its encoding and modifier; those that ask for no translation are English. */
function tagOf(locale: string): string {
  const tag = locale
    .replace(/[.@].*$/, '')
    .replaceAll('_', '-')
    .trim();
  return /^(?:c|posix)$/i.test(tag) ? 'en' : tag;
}
