export interface NamedCountry {
  /** ISO 3166-1 alpha-2, in lower case. */
  country: string;
  name: string;
}

/** As many stand below each other without a search. */
const maxUnsearched = 8;

export const needsSearch = (all: readonly NamedCountry[]): boolean => all.length > maxUnsearched;

/**
 * Those that are to be seen: all of a few; of many the ones in `kept`, which have been chosen, and what a search finds, by
 * the beginning of a word of the name or by the code.
 */
export function visibleCountries(
  all: readonly NamedCountry[],
  kept: ReadonlySet<string>,
  query: string,
): NamedCountry[] {
  if (!needsSearch(all)) return [...all];
  const wanted = plain(query.trim());
  return all.filter(
    ({ country, name }) =>
      kept.has(country) || (wanted !== '' && (country === wanted || beginsWord(plain(name), wanted))),
  );
}

/** Chinese has no spaces between words: there any part will do. */
const beginsWord = (name: string, wanted: string): boolean =>
  /\p{Script=Han}/u.test(wanted)
    ? name.includes(wanted)
    : name.split(/(?=[\s(-])/).some((word) => word.replace(/^[\s(-]/, '').startsWith(wanted)) ||
      name.startsWith(wanted);

const plain = (text: string): string => text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
