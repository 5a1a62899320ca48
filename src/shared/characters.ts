/**
 * A text's characters as people see them: a flag, a family or a letter with its accents is one. Firefox before 125
 * cannot tell; there, each code point counts as one.
 */
export const charactersOf = (text: string): string[] =>
  'Segmenter' in Intl
    ? [...new Intl.Segmenter().segment(text)].map(({ segment }) => segment)
    : Array.from(text);
