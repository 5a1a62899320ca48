import { expect, type Page } from 'playwright/test';
import { en } from '#shared/texts/en.ts';
import { expectNoViolations } from './axe.ts';
import { clippedTexts } from './clipped-text.ts';
import { lostRoles } from './lost-roles.ts';
import { casesOf, isExhaustive } from '../../../lab/runs/thoroughness.ts';
import { openScreen, type Screen } from './screens.ts';
import { languages, texts, type TextLanguage } from './texts.ts';
import { everythingSaid, foreignTexts } from './visible-text.ts';

const passesAxe = (language: TextLanguage) => language === 'en' || language === 'pseudo';

/**
 * In which languages every screen is inspected. The long one shows all that can be wrong with a page, whatever it says:
 * `npm test` inspects screens in no other. That each text is translated, tests/unit/shared/texts/translations.test.ts says.
 */
export const inspectedLanguages: readonly TextLanguage[] = ['pseudo', ...languages];

/** What a service has besides, for its users of that language. */
export const offersIn = (language: TextLanguage) =>
  language === 'pseudo' ? { translations: { en: texts.pseudo } } : {};

/** What a test of them promises. */
export const promiseOfScreens = (language: TextLanguage) =>
  `no text is untranslated, cut off or too wide${
    passesAxe(language) ? `, and every screen passes axe in light ${isExhaustive ? 'and' : 'or'} dark` : ''
  }`;

const everyWidth = casesOf({ usual: [320, 1200], all: [320, 390, 1200] });

export type SetDark = (dark: boolean) => Promise<void>;

/** Opens each screen, and inspects it; in `npm test` each in one theme, every other one in dark. */
export async function inspectScreens(
  screens: readonly Screen[],
  language: TextLanguage,
  setDark: SetDark,
  widths?: readonly number[],
): Promise<void> {
  // Colours half-way between two themes are nobody's contrast.
  await screens[0]?.route.page.emulateMedia({ reducedMotion: 'reduce' });
  for (const [index, screen] of screens.entries()) {
    await openScreen(screen);
    await inspectPage(screen.route.page, screen.name, language, setDark, { widths, isDark: index % 2 === 1 });
    await screen.leave?.();
  }
}

/**
 * At no width, nor with text of twice the size, or spaced out, at the last of them (WCAG 2.2, 1.4.4), may a text be cut
 * off or wider than the window, and it may say nothing in another language, nor a key in the place of a text. In English, the
 * pseudo-language too, it has to pass axe in light, and its contrasts in dark and in a contrast theme: no other rule
 * looks at colours. `npm test` has it pass in the theme that is named. The narrowest is how wide a page of 1280 pixels
 * is at 400 % (WCAG 2.2, 1.4.10).
 */
export async function inspectPage(
  page: Page,
  name: string,
  language: TextLanguage,
  setDark: SetDark,
  { widths = everyWidth, isDark = false }: { widths?: readonly number[] | undefined; isDark?: boolean } = {},
): Promise<void> {
  for (const width of widths) {
    await page.setViewportSize({ width, height: 800 });
    expect.soft(await clippedTexts(page), `${name}, ${width}px wide`).toEqual([]);
  }
  await doubleText(page, true);
  expect.soft(await clippedTexts(page), `${name}, text of 200 %`).toEqual([]);
  await doubleText(page, false);
  await spaceText(page, true);
  expect.soft(await clippedTexts(page), `${name}, text that is spaced out`).toEqual([]);
  await spaceText(page, false);
  expect.soft(await lostRoles(page), name).toEqual([]);
  if (passesAxe(language)) {
    const without = language === 'pseudo' ? inPseudoLanguage : [];
    const isFirstDark = isDark && !isExhaustive;
    await setDark(isFirstDark);
    await expectNoViolations(page, `${name}, ${isFirstDark ? 'dark' : 'light'}`, { without });
  }
  if (passesAxe(language) && isExhaustive) {
    await setDark(true);
    await expectNoViolations(page, `${name}, dark`, { only: ['color-contrast'] });
    await page.emulateMedia({ forcedColors: 'active' });
    await expectNoViolations(page, `${name}, forced colours`, { only: ['color-contrast'] });
    await page.emulateMedia({ forcedColors: 'none' });
  }
  await expectLanguage(page, name, language);
}

/** As a user does who has set another size of text in the browser or system. */
const doubleText = (page: Page, isDouble: boolean) =>
  page.evaluate(
    (size) => document.documentElement.style.setProperty('font-size', size),
    isDouble ? '200%' : '',
  );

/** As a user does who reads better so (WCAG 2.2, 1.4.12). */
const spaceText = (page: Page, isSpaced: boolean) =>
  page.evaluate((spaced) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(
      `* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important; }
      p { margin-block-end: 2em !important; }`,
    );
    document.adoptedStyleSheets = spaced ? [sheet] : [];
    if (spaced && getComputedStyle(document.body).letterSpacing === 'normal') throw new Error('not spaced');
  }, isSpaced);

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
