/**
 * What nobody sees, but what can turn the text around it to the left, or make two names look alike: format characters
 * (UAX #44, Cf) and fillers of Hangul. Not what holds letters and emojis together or apart: the joiners, and the tags of
 * which the flags of England, Scotland and Wales are made (UTS 51). Nor the marks among them that are seen, before
 * numbers of Arabic and other scripts (The Unicode Standard, Prepended_Concatenation_Mark).
 */
const unseen =
  /(?!\u200c|\u200d|[\u{e0020}-\u{e007f}\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}])[\p{Cf}\u3164\uffa0]/gu;

export const withoutUnseen = (text: string): string => text.replaceAll(unseen, '');

/** Ends of lines, of all systems, and of paragraphs. */
const lineEnd = /\r\n?|[\n\v\f\u0085\u2028\u2029]/g;

/** Somebody else's text as it can be shown: of characters that are seen, and do not move those around them. */
export const shownLines = (text: string): string[] =>
  withoutUnseen(text)
    .split(lineEnd)
    .map((line) =>
      line
        .replaceAll(/[^\S ]/gu, ' ')
        .replaceAll(/[\p{Cc}\p{Cs}]/gu, '')
        .trim(),
    );

/** The same on one line. */
export const shownLine = (text: string): string => shownLines(text).join(' ').replaceAll(/\s+/gu, ' ').trim();
