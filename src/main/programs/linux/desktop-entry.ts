import { canonicalDesktop } from '../../linux/desktop-names.ts';

/** The part of a desktop entry (Desktop Entry Specification 1.5) that matters for starting a program. */
export interface DesktopEntry {
  /** A key's value, with its escapes resolved; undefined if the key is absent. */
  text(key: string): string | undefined;
  /** The value in the first of these locales that has one, such as `zh_CN`, or else the untranslated one. */
  localised(key: string, locales: readonly string[]): string | undefined;
  is(key: string): boolean;
  /** A value that is a list, such as `GNOME;Unity;`. */
  list(key: string): string[];
}

const escapes: Readonly<Record<string, string>> = { s: ' ', n: '\n', t: '\t', r: '\r', '\\': '\\' };

/** Undefined if there is no group `Desktop Entry`. */
export function parseDesktopEntry(text: string): DesktopEntry | undefined {
  const values = readGroups(text).get('Desktop Entry');
  if (!values) return undefined;
  const read = (key: string) =>
    values.get(key)?.replaceAll(/\\([sntr\\])/g, (_, sign: string) => escapes[sign] ?? sign);
  return {
    text: read,
    localised(key, locales) {
      const locale = locales.find((one) => values.has(`${key}[${one}]`));
      return read(locale === undefined ? key : `${key}[${locale}]`);
    },
    // GLib takes both, and so do the desktops that use it.
    is: (key) => ['true', '1'].includes(values.get(key) ?? ''),
    list: (key) =>
      (values.get(key) ?? '')
        .split(/(?<!\\);/)
        .map((part) => part.replaceAll('\\;', ';').trim())
        .filter((part) => part !== ''),
  };
}

/** `desktops`: this one and those that it is like, in canonical form (desktop-names.ts). */
export function isForDesktop(entry: DesktopEntry, desktops: readonly string[]): boolean {
  const only = entry.list('OnlyShowIn').map(canonicalDesktop);
  const not = entry.list('NotShowIn').map(canonicalDesktop);
  // The first desktop that appears in either list decides; a desktop should not be in both.
  for (const desktop of desktops) {
    if (only.includes(desktop)) return true;
    if (not.includes(desktop)) return false;
  }
  return only.length === 0;
}

/**
 * The groups of an ini-like file, such as a desktop entry or an icon theme, each with its keys. If a key is repeated,
 * the last value counts. Lines that are not entries are ignored, as desktops do.
 */
export function readGroups(text: string): ReadonlyMap<string, ReadonlyMap<string, string>> {
  const groups = new Map<string, Map<string, string>>();
  let values: Map<string, string> | undefined;
  for (const line of text.split(/\r?\n/)) {
    const [, heading] = /^\[([^[\]]*)\]\s*$/.exec(line) ?? [];
    if (heading !== undefined) {
      values = groups.get(heading) ?? new Map<string, string>();
      groups.set(heading, values);
      continue;
    }
    const end = line.indexOf('=');
    if (end > 0 && !line.startsWith('#')) values?.set(line.slice(0, end).trim(), line.slice(end + 1).trim());
  }
  return groups;
}
