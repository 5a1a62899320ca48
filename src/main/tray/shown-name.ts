/** As wide as a menu, or the title of a question, may be. */
const maxLetters = 48;

/**
 * What nobody sees, but what can turn the text around it to the left, or look like nothing; not what holds letters and
 * emojis together or apart: the joiners, and the tags of which the flags of England, Scotland and Wales are made (UTS
 * 51).
 */
const invisible = /(?!\u200c|\u200d|[\u{e0020}-\u{e007f}])\p{Cf}/gu;

/**
 * A name as menus, notifications and questions have it: those from the service can contain anything, and be very long.
 */
export function shownName(name: string): string {
  const line = name
    .replaceAll(invisible, '')
    .replaceAll(/[\s\p{Cc}\p{Cs}]+/gu, ' ')
    .trim();
  const letters = Array.from(new Intl.Segmenter().segment(line), ({ segment }) => segment);
  return letters.length > maxLetters ? `${letters.slice(0, maxLetters - 1).join('')}…` : line;
}
