import { en } from '#shared/texts/en.ts';
import type { Texts } from '#shared/texts/texts.ts';
import { updateTexts, type UpdateTextKey } from '#shared/texts/update-texts.ts';

const letters: Record<string, string> = {
  a: 'á',
  e: 'é',
  i: 'í',
  o: 'ö',
  u: 'ü',
  A: 'Å',
  E: 'É',
  O: 'Ö',
  U: 'Ü',
};

/**
 * English, made as long as translations get (texts of up to ten characters grow to three times their length,
 * longer ones by 40 %: W3C, Text size in translation) and marked at both ends, so that a text which is cut
 * off, or came from elsewhere, shows.
 */
export const pseudoLanguage: Texts = lengthened(en);

/** The same of texts that are loaded apart from the others. */
export const pseudoUpdateTexts: Record<UpdateTextKey, string> = lengthened(updateTexts.en);

function lengthened<Key extends string>(all: Readonly<Record<Key, string>>): Record<Key, string> {
  const made = Object.entries<string>(all).map(([key, text]) => [key, `⟦${accented(text)}${padding(text)}⟧`]);
  return Object.fromEntries(made) as Record<Key, string>;
}

/** Placeholders stay as they are. */
function accented(text: string): string {
  return text.replace(/\{\{[^}]*\}\}|[aeiouAEOU]/g, (part) => letters[part] ?? part);
}

function padding(text: string): string {
  const share = text.length <= 10 ? 2 : text.length <= 30 ? 0.8 : 0.4;
  const words = 'lörem ípsüm dölör sít ámét ';
  return ` ${words
    .repeat(10)
    .slice(0, Math.ceil(text.length * share))
    .trim()}`;
}
