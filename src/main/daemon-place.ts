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
