const namesByTag = new Map<string, Intl.DisplayNames>();

/** A country's name in a language, such as `NL` in `zh-Hans`; its code if the browser does not know it. */
export function countryName(country: string, tag: string): string {
  const names = namesByTag.get(tag) ?? new Intl.DisplayNames(tag, { type: 'region', fallback: 'code' });
  namesByTag.set(tag, names);
  return names.of(country) ?? country;
}
