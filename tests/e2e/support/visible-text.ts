import type { Page } from 'playwright/test';

/** Everything a page says: what is seen, and the names and descriptions that screen readers read. */
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
    return said
      .flatMap((text) => text.split('\n'))
      .map((text) => text.trim())
      .filter(Boolean);
  });
}

/** Words in Latin letters that stand in every language: names, addresses, and what the trade calls things. */
const sameEverywhere = [
  /\S+@\S+/g,
  /\b[\w-]+(?:\.[\w-]+)+\b/g,
  /\b(?:Waymaker|AnyConnect|macOS|Windows|Linux|GNOME Keyring|IPv[46]|DTLS|TLS|UDP|TCP|openconnect)\b/g,
  /\b(?:Aurora|Borealis|Nowhere|Starter)\b/g,
  /\b(?:byte|kB|KB|MB|GB|TB|B)(?:\/s)?\b/g,
  /\bwaymaker-helper\b/g,
];

/** What a Chinese page says in Latin words although it should not. */
export function untranslated(said: readonly string[]): string[] {
  return said.filter((text) => {
    const rest = sameEverywhere.reduce((left, pattern) => left.replace(pattern, ''), text);
    return /[A-Za-z]{2,}/.test(rest);
  });
}
