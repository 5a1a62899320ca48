import { cutText } from '#shared/cut-text.ts';
import { shownLines } from '#shared/unseen-characters.ts';

/** A gateway's text, of lines that are not empty. */
export function sanitizeText(text: string, maxLength: number): string {
  const clean = shownLines(text)
    .filter((line) => line !== '')
    .join('\n');
  return clean.length <= maxLength ? clean : `${cutText(clean, maxLength - 1)}…`;
}
