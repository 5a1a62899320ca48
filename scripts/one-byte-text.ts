/**
 * JavaScript that means the same, in which characters beyond Latin-1 are escapes. V8 keeps the whole text of a program
 * in memory, with two bytes for each character as soon as one of them needs two.
 */
export const withoutWideCharacters = (code: string): string =>
  // A backslash before such a character means nothing, and would take away the meaning of that of the escape.
  code.replaceAll(/\\[\0-\u00ff]|\\?([^\0-\u00ff])/g, (whole, wide: string | undefined) =>
    wide === undefined ? whole : `\\u${wide.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
