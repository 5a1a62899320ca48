import type { Page } from 'playwright/test';

/** What a page's elements are to some screen readers alone, which axe does not know; each with the element. */
export async function lostRoles(page: Page): Promise<string[]> {
  return await page.evaluate(() => {
    const found: string[] = [];
    const note = (what: string, element: Element) =>
      found.push(`${what}: ${element.outerHTML.slice(0, 100)}`);
    for (const list of document.querySelectorAll('ul, ol')) {
      const isBare = getComputedStyle(list).listStyleType === 'none' && !list.hasAttribute('role');
      // Safari forgets that it is a list.
      if (isBare && !list.closest('nav')) note('no list', list);
    }
    // What is in a button is its label, and nothing by itself (WAI-ARIA, "Children Presentational").
    for (const region of document.querySelectorAll(
      'button :is([aria-live], [role="status"], [role="alert"])',
    ))
      note('a region in a button', region);
    // Safari has a group in its place.
    for (const picture of document.querySelectorAll('svg:is([aria-label], [aria-labelledby]):not([role])'))
      note('no picture', picture);
    // To hear and, but for the texts of notes, to see (WCAG 2.2, technique G201).
    for (const link of document.querySelectorAll(
      'a[rel~="noreferrer"]:not([aria-description], :has([role="img"][aria-label]))',
    ))
      note('a link out that does not say so', link);
    return found;
  });
}
