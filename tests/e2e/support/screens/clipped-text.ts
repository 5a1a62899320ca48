import type { Page } from 'playwright/test';

/** Texts of a page that are cut off, or that widen the page; each with the element that holds it. */
export async function clippedTexts(page: Page): Promise<string[]> {
  return await page.evaluate(() => {
    const root = document.documentElement;
    const found: string[] = [];
    if (root.scrollWidth > root.clientWidth) {
      found.push(`the page is ${root.scrollWidth}px wide in a window of ${root.clientWidth}px`);
    }
    for (const element of document.body.querySelectorAll<HTMLElement>('*')) {
      const holdsText = [...element.childNodes].some(
        (node) => node instanceof Text && (node.textContent ?? '').trim() !== '',
      );
      // What is folded away has no place; what is for screen readers alone is a sixteenth of a rem wide.
      if (!holdsText || !element.checkVisibility() || element.clientWidth <= 2) continue;
      const box = element.getBoundingClientRect();
      const { fontSize, overflowX } = getComputedStyle(element);
      // The space between Chinese and other letters stays where a line ends (CSS Text 4, `text-autospace`).
      const space = Number.parseFloat(fontSize) / 8;
      const cut = element.scrollWidth > element.clientWidth + 1 + space && overflowX !== 'auto';
      const outside = box.width > 1 && (box.right > root.clientWidth + 1 || box.left < -1);
      if (cut || outside) {
        found.push(`${cut ? 'cut' : 'outside'}: ${element.localName} “${element.innerText.slice(0, 60)}”`);
      }
    }
    return found;
  });
}
