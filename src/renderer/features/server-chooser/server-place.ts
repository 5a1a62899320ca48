import type { Server } from '#shared/entities.ts';
import { foldText } from '#shared/fold-text.ts';
import { languageTags } from '#shared/language.ts';
import { countryName } from '../../i18n/country-name.ts';

const namesOfCountry = new Map<string, string>();

/** A country's names in all languages of the app: people search in the language that they type. */
export function countryNames(country: string): string {
  const known = namesOfCountry.get(country);
  if (known !== undefined) return known;
  const names = Object.values(languageTags).map((tag) => countryName(country, tag));
  const text = foldText(names.join(' '));
  namesOfCountry.set(country, text);
  return text;
}

/** The server's city, unless its name already contains it. */
export function cityBesideName({ name, city }: Pick<Server, 'name' | 'city'>): string | undefined {
  return city !== undefined && !foldText(name).includes(foldText(city)) ? city : undefined;
}
