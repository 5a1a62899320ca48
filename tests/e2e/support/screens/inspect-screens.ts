import { expect, type Page } from 'playwright/test';
import { en } from '#shared/texts/en.ts';
import { expectNoViolations } from './axe.ts';
import { clippedTexts } from './clipped-text.ts';
import { openScreen, type Screen } from './screens.ts';
import type { TextLanguage } from './texts.ts';
import { everythingSaid, foreignTexts } from './visible-text.ts';

const passesAxe = (language: TextLanguage) => language === 'en' || language === 'pseudo';

/** What a test of them promises. */
export const promiseOfScreens = (language: TextLanguage) =>
  `no text is untranslated, cut off or too wide${
    passesAxe(language) ? ', and every screen passes axe in light and dark' : ''
  }`;

export type SetDark = (dark: boolean) => Promise<void>;

/**
 * Opens each screen: at no width, nor with text of twice the size at the last of them (WCAG 2.2, 1.4.4), may a text be
 * cut off or wider than the window, and it may say nothing in another language, nor a key in the place of a text. In
 * English, the pseudo-language too, it has to pass axe in either theme, its contrasts in a contrast theme, too; what axe
 * looks at is the same in the other languages. The narrowest is how wide a page of 1280 pixels is at 400 % (WCAG 2.2,
 * 1.4.10).
 */
export async function inspectScreens(
  screens: readonly Screen[],
  language: TextLanguage,
  setDark: SetDark,
  widths = [320, 390, 1200],
): Promise<void> {
  // Colours half-way between two themes are nobody's contrast.
  await screens[0]?.route.page.emulateMedia({ reducedMotion: 'reduce' });
  for (const screen of screens) {
    const { name, route } = screen;
    const { page } = route;
    await openScreen(screen);
    for (const width of widths) {
      await page.setViewportSize({ width, height: 800 });
      expect.soft(await clippedTexts(page), `${name}, ${width}px wide`).toEqual([]);
    }
    await doubleText(page, true);
    expect.soft(await clippedTexts(page), `${name}, text of 200 %`).toEqual([]);
    await doubleText(page, false);
    if (passesAxe(language)) {
      const without = language === 'pseudo' ? inPseudoLanguage : [];
      await setDark(false);
      await expectNoViolations(page, `${name}, light`, { without });
      await setDark(true);
      await expectNoViolations(page, `${name}, dark`, { only: ['color-contrast'] });
      await page.emulateMedia({ forcedColors: 'active' });
      await expectNoViolations(page, `${name}, forced colours`, { only: ['color-contrast'] });
      await page.emulateMedia({ forcedColors: 'none' });
    }
    await expectLanguage(page, name, language);
    await screen.leave?.();
  }
}

/** As a user does who has set another size of text in the browser or system. */
const doubleText = (page: Page, isDouble: boolean) =>
  page.evaluate(
    (size) => document.documentElement.style.setProperty('font-size', size),
    isDouble ? '200%' : '',
  );

/** What makes a text of the pseudo-language long stands in the middle of a name that goes on, too. */
const inPseudoLanguage = ['label-content-name-mismatch'];

async function expectLanguage(page: Page, name: string, language: TextLanguage): Promise<void> {
  const tag = language === 'pseudo' ? 'en' : language;
  await expect(page.locator('html')).toHaveAttribute('lang', new RegExp(`^${tag}$`, 'i'));
  const said = await everythingSaid(page);
  expect(said.length, name).toBeGreaterThan(2);
  expect.soft(foreignTexts(said, language), name).toEqual([]);
  const keys = Object.keys(en).filter((key) => said.some((text) => text.includes(key)));
  expect.soft(keys, `${name}: keys in the place of texts`).toEqual([]);
}
