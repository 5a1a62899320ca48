import type { Language, Translations } from '#shared/entities.ts';
import { eq } from 'drizzle-orm';
import type { Database } from './database.ts';
import { translationOverrides } from './schema/pages.ts';

/** What the operator says in the place of our texts, by their keys. */
export async function readOperatorTexts(database: Database, language: Language): Promise<Translations> {
  const rows = await database
    .select({ key: translationOverrides.key, text: translationOverrides.text })
    .from(translationOverrides)
    .where(eq(translationOverrides.language, language));
  return Object.fromEntries(rows.map(({ key, text }) => [key, text]));
}
