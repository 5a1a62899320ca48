import type { Page } from 'playwright/test';

/** A text that has been taken out of the page: what it said, and what is in its place. */
interface Translated {
  readonly said: string;
  readonly shown: Element;
}

interface WithTranslated {
  translatedTexts?: Map<Text, Translated>;
}

/**
 * Does to a page, and to all that comes on it later, what the browser's translation does: it takes each text out, and puts
 * two `font` elements with another one in its place (https://github.com/facebook/react/issues/11538). The other one says
 * the same here, so that it is found as before. Reloading the page ends it.
 */
export async function translatePage(page: Page): Promise<void> {
  await page.evaluate(() => {
    const translated = new Map<Text, Translated>();
    Object.assign(globalThis, { translatedTexts: translated });
    const untouched = 'font, svg, script, style, textarea, [translate="no"]';
    const translate = () => {
      const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      const texts: Text[] = [];
      while (walker.nextNode()) texts.push(walker.currentNode as Text);
      for (const text of texts) {
        if (text.data.trim() === '' || text.parentElement?.closest(untouched)) continue;
        const [shown, inner] = [document.createElement('font'), document.createElement('font')];
        inner.textContent = text.data;
        shown.append(inner);
        text.replaceWith(shown);
        translated.set(text, { said: text.data, shown });
      }
    };
    translate();
    new MutationObserver(translate).observe(document.body, {
      childList: true,
      subtree: true,
      characterData: true,
    });
  });
}

/** What the page still shows in the place of texts that have changed since, each with what it should say. */
export async function staleTexts(page: Page): Promise<string[]> {
  return await page.evaluate(() => {
    const { translatedTexts } = globalThis as WithTranslated;
    if (!translatedTexts || translatedTexts.size === 0) throw new Error('nothing was translated');
    return [...translatedTexts]
      .filter(([text, { said, shown }]) => shown.isConnected && text.data !== said)
      .map(([text, { said }]) => `“${said}” is “${text.data}” by now`);
  });
}

/** What the page's console says of changes that React could not make. */
export function noteFailures(page: Page): string[] {
  const failures: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' && /NotFoundError|removeChild|insertBefore/.test(message.text()))
      failures.push(message.text());
  });
  return failures;
}
