import { shownLine } from '#shared/unseen-characters.ts';

/** As wide as a menu, or the title of a question, may be. */
const maxLetters = 48;

/**
 * A name as menus, notifications and questions have it: those from the service can contain anything, and be very long.
 */
export function shownName(name: string): string {
  const line = shownLine(name);
  const letters = Array.from(new Intl.Segmenter().segment(line), ({ segment }) => segment);
  return letters.length > maxLetters ? `${letters.slice(0, maxLetters - 1).join('')}…` : line;
}
