import type { Translations } from '../entities.ts';

const hole = /\{\{\s*(\w+)\s*\}\}/g;

/** The text with its placeholders filled; placeholders without a value stay. */
export const fillPlaceholders = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replaceAll(hole, (found, name: string) => values[name] ?? found);

export function placeholders(text: string): string[] {
  return [...text.matchAll(hole)].map(([, name = '']) => name).sort();
}

/** Whether both texts have exactly the same placeholders. */
export const havePlaceholdersOf = (text: string, other: string): boolean =>
  placeholders(text).join() === placeholders(other).join();

/** The operator's texts that have one of our keys and exactly its placeholders; others would show gaps. */
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
