export interface NamedCountry {
  /** ISO 3166-1 alpha-2, in lower case. */
  country: string;
  name: string;
}

/** How many are listed without a search. */
const maxUnsearched = 8;

export const needsSearch = (all: readonly NamedCountry[]): boolean => all.length > maxUnsearched;

/**
 * The visible countries: all if there are few; otherwise those in `kept`, which have been chosen, and those that a
 * search finds by the beginning of a word of the name or by the code.
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

/** Chinese has no spaces between words, so any part of a name matches. */
const beginsWord = (name: string, wanted: string): boolean =>
  /\p{Script=Han}/u.test(wanted)
    ? name.includes(wanted)
    : name.split(/(?=[\s(-])/).some((word) => word.replace(/^[\s(-]/, '').startsWith(wanted)) ||
      name.startsWith(wanted);

const plain = (text: string): string => text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
