import os from 'node:os';
import type { Page } from 'playwright/test';
import type { TextLanguage } from './texts.ts';

/**
 * Everything a page says: what is seen, and the names and descriptions that screen readers read. Not what it marks as
 * of another language, or as not to be translated.
 */
export async function everythingSaid(page: Page): Promise<string[]> {
  return await page.evaluate(() => {
    const said = [document.title, document.body.innerText];
    for (const element of document.querySelectorAll('*')) {
      for (const name of [
        'aria-label',
        'aria-description',
        'aria-valuetext',
        'placeholder',
        'title',
        'alt',
      ]) {
        said.push(element.getAttribute(name) ?? '');
      }
    }
    const commands = [...document.querySelectorAll<HTMLElement>('code[translate="no"]')]
      .map((element) => element.innerText)
      .filter((command) => command !== '')
      // A command may be a word of another one.
      .toSorted((one, other) => other.length - one.length);
    const withoutCommands = (text: string) =>
      commands.reduce((rest, command) => rest.replaceAll(command, ' '), text);
    const linesOf = (text: string) => text.split('\n').map((line) => withoutCommands(line).trim());
    const apart = new Set(
      [...document.body.querySelectorAll<HTMLElement>('[lang], [translate="no"]')].flatMap((element) =>
        linesOf(element.innerText),
      ),
    );
    return said.flatMap(linesOf).filter((line) => line !== '' && !apart.has(line));
  });
}

/** What an operator may have given a name to, of which no part may be cut off. */
export const longName = 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerk';

/** Words in Latin letters that stand in every language: names, addresses, and what the trade calls things. */
const sameEverywhere = [
  /\S+@\S+/g,
  /\b[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b/g,
  /\b[\w-]+(?:\.[\w-]+)+\b/g,
  /\b(?:Waymaker|Web|AnyConnect|macOS|Windows|Linux|GNOME Keyring|Credential Manager|IPv[46]|DNS|DTLS|TLS|UDP|TCP|openconnect|NetworkManager|Wi-Fi|VPN|Docker|wordgate|App|Mac)\b/g,
  /\b(?:Aurora|Borealis|Nowhere|Starter|Family, one month|Family)\b/g,
  new RegExp(longName, 'g'),
  /\bUS\$/g,
  // Devices' names.
  new RegExp(`\\b${os.hostname()}\\b`, 'g'),
  /\b(?:PNG|JPEG|WebP|Enter|SOCKS5|HTTP|https)\b|https?:\/\//g,
  /\b[\da-f]{1,4}(?::[\da-f]{0,4}){2,7}/g,
  /\b(?:byte|kB|KB|MB|GB|TB|B)(?:\/s)?\b/g,
];

const regions = new Intl.DisplayNames(['en'], { type: 'region' });
const countries = 'AQ AU BE BR CA CH CN DE FR GB JP KR SE SG US ZA'
  .split(' ')
  .map((code) => regions.of(code));

/**
 * What stays English for users of the pseudo-language, being no text of the pages: dates, units, countries, refusals.
 */
const inEnglish = [
  new RegExp(`\\b(?:${countries.join('|')})\\b`, 'g'),
  /\b\d+ ms\b/g,
  /^This order does not exist\.$/g,
  /\b\d+:\d\d [AP]M\b/g,
  /\b[A-Z][a-z]+ \d{1,2}, \d{4}\b/g,
  /\b\d+ (?:bytes?|months?)\b/g,
];

/** What a page in `language` says in another one. */
export function foreignTexts(said: readonly string[], language: TextLanguage): string[] {
  if (language === 'en') return said.filter((text) => /\p{Script=Han}/u.test(text));
  const allowed = language === 'pseudo' ? [...sameEverywhere, ...inEnglish] : sameEverywhere;
  return said.filter((text) => {
    // What a translation in the pseudo-language begins or ends with is of it.
    if (language === 'pseudo' && /[⟦⟧]/.test(text)) return false;
    const rest = allowed.reduce((left, pattern) => left.replace(pattern, ''), text);
    return /[A-Za-z]{2,}/.test(rest);
  });
}
