import { expect, type Locator, type Page } from 'playwright/test';
import { ConnectRoute } from '../../routes/connect/connect-route.ts';
import { SettingsRoute } from '../../routes/desktop/settings-route.ts';

const words = { 'zh-hans': ['服务器', '隧道'], 'zh-hant': ['伺服器', '通道'] } as const;

/** Widths of phones, in CSS pixels. */
const phones = [360, 375, 390, 412];

/** Chinese lines may end at any character: those of short texts do not part these words on a phone. */
export async function expectWholeWords(page: Page, language: keyof typeof words): Promise<void> {
  const connect = new ConnectRoute(page, language);
  const settings = new SettingsRoute(page, language);
  for (const [route, element] of [
    [connect, connect.welcome],
    [settings, settings.routing],
  ] as const) {
    await route.follow();
    await expect(element).toBeVisible();
    await page.evaluate(() => document.fonts.ready);
    const parted = () => partedWords(element, words[language]);
    for (const width of phones) {
      await page.setViewportSize({ width, height: 800 });
      expect.soft(await parted(), `${width} px`).toEqual([]);
    }
    // The positive control: in lines of one character, words are seen to be parted.
    await element.evaluate((part) => (part.style.width = '1em'));
    expect(await parted()).not.toEqual([]);
    await element.evaluate((part) => (part.style.width = ''));
  }
}

/** The texts in which the end of a line parts one of the words. */
async function partedWords(element: Locator, all: readonly string[]): Promise<string[]> {
  return await element.evaluate((root, names) => {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    const parted: string[] = [];
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const text = node.nodeValue ?? '';
      for (const { 0: name, index } of text.matchAll(new RegExp(names.join('|'), 'g'))) {
        const range = new Range();
        range.setStart(node, index);
        range.setEnd(node, index + name.length);
        const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
        if (lines.size > 1) parted.push(text);
      }
    }
    return parted;
  }, all);
}
