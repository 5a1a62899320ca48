import type { Translations } from '../entities.ts';

const hole = /\{\{\s*(\w+)\s*\}\}/g;

/** The text with its placeholders filled; those without a value stay. */
export const fillPlaceholders = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replaceAll(hole, (found, name: string) => values[name] ?? found);

export function placeholders(text: string): string[] {
  return [...text.matchAll(hole)].map(([, name = '']) => name).sort();
}

/** Whether the other text has exactly the placeholders of this one. */
export const havePlaceholdersOf = (text: string, other: string): boolean =>
  placeholders(text).join() === placeholders(other).join();

/** The operator's texts that have a key of ours and exactly its placeholders; others would show holes. */
export function acceptedTranslations(
  bundled: Readonly<Record<string, string>>,
  operators: Translations,
): Translations {
  return Object.fromEntries(
    Object.entries(operators).filter(([key, text]) => {
      const ours = Object.hasOwn(bundled, key) ? bundled[key] : undefined;
      return ours !== undefined && havePlaceholdersOf(ours, text);
    }),
  );
}
