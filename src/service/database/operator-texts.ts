import type { Language, Translations } from '#shared/entities.ts';
import { eq } from 'drizzle-orm';
import type { Database } from './database.ts';
import { translationOverrides } from './schema/pages.ts';

/** The operator's replacements for our texts, by key. */
export async function readOperatorTexts(database: Database, language: Language): Promise<Translations> {
  const rows = await database
    .select({ key: translationOverrides.key, text: translationOverrides.text })
    .from(translationOverrides)
    .where(eq(translationOverrides.language, language));
  return Object.fromEntries(rows.map(({ key, text }) => [key, text]));
}
