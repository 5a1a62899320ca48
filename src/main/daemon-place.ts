import { readFileSync } from 'node:fs';
import path from 'node:path';
import * as z from 'zod/mini';
import { language as knownLanguage, type Language } from '#shared/entities.ts';

/** Where the daemon of a profile writes its log. */
export const logFileOf = (profile: string): string => path.join(profile, 'logs', 'daemon.log');

const settings = z.object({ language: knownLanguage });

/** What the user has chosen in the app, where no core is asked for it; undefined if that is the system's. */
export function chosenLanguage(profile: string): Language | undefined {
  try {
    const file = readFileSync(path.join(profile, 'settings.json'), 'utf8');
    return settings.parse(JSON.parse(file)).language;
  } catch {
    return undefined;
  }
}

/** A BCP 47 tag from what POSIX programs go by (locale(7)); empty if it names no language. */
export function systemLanguage(env: Readonly<NodeJS.ProcessEnv>): string {
  const locale = env['LC_ALL'] || env['LC_MESSAGES'] || env['LANG'] || '';
  const tag = locale.replace(/[.@].*$/, '').replaceAll('_', '-');
  return tag === 'C' || tag === 'POSIX' ? 'en' : tag;
}
