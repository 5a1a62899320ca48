import type { Page } from 'playwright/test';
import { en } from '#shared/texts/en.ts';
import { LoginRoute } from './routes/login-route.ts';
import { expectNoViolations } from './support/axe.ts';
import { clippedTexts } from './support/clipped-text.ts';
import { fillAccount } from './support/filled-account.ts';
import {
  childScreens,
  desktopPublicScreens,
  desktopScreens,
  invitedScreens,
  openScreen,
  signedOutScreens,
  webScreens,
  webviewScreens,
  type Screen,
} from './support/screens.ts';
import { explainedScreen } from './support/more-screens.ts';
import { startService } from './support/service.ts';
import { arriveSignedIn } from './support/sign-in.ts';
import { languages, languageTags, texts, type TextLanguage } from './support/texts.ts';
import { everythingSaid, foreignTexts } from './support/visible-text.ts';
import { openConsole } from './support/web-console.ts';
import { expect, test } from './webview/webview-fixtures.ts';
import { waitLimit } from '../lab/wait-limit.ts';

// Each takes long, and shares nothing with the others but the account that it looks at.
test.describe.configure({ mode: 'parallel' });

const passesAxe = (language: TextLanguage) => language === 'en' || language === 'pseudo';

type SetDark = (dark: boolean) => Promise<void>;

/**
 * Opens each screen: at no width, nor with text of twice the size at the last of them (WCAG 2.2, 1.4.4), may a text be
 * cut off or wider than the window, and it may say nothing in another language, nor a key in the place of a text. In
 * English, the pseudo-language too, it has to pass axe in either theme, its contrasts in a contrast theme, too; what axe
 * looks at is the same in the other languages. The narrowest is how wide a page of 1280 pixels is at 400 % (WCAG 2.2,
 * 1.4.10).
 */
async function inspect(
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

const promise = (language: TextLanguage) =>
  `no text is untranslated, cut off or too wide${
    passesAxe(language) ? ', and every screen passes axe in light and dark' : ''
  }`;

for (const language of languages) {
  test(`desktop, ${language}: ${promise(language)}`, async ({ launchHere, serviceHere, filledAccount }) => {
    test.setTimeout(waitLimit(240_000));
    const app = await launchHere({ languages: [languageTags[language]] });
    const { page } = app;
    const setDark: SetDark = (dark) => app.setDark(dark);
    await inspect(desktopPublicScreens(page, language), language, setDark);
    await arriveSignedIn(page, serviceHere, filledAccount.email, language);
    await inspect(desktopScreens(page, language, filledAccount), language, setDark);
    // With all that is said on demand.
    await inspect([explainedScreen(page, language)], language, setDark);
  });

  test(`web console, ${language}: ${promise(language)}`, async ({
    browserHere,
    serviceHere,
    filledAccount,
  }) => {
    test.setTimeout(waitLimit(240_000));
    const page = await openConsole(browserHere, serviceHere, { language });
    const setDark: SetDark = (dark) => page.emulateMedia({ colorScheme: dark ? 'dark' : 'light' });
    await inspect(signedOutScreens(page, language), language, setDark);
    await arriveSignedIn(page, serviceHere, filledAccount.email, language);
    await inspect(webScreens(page, language, filledAccount), language, setDark);
    await arriveSignedIn(page, serviceHere, filledAccount.member, language);
    await inspect(childScreens(page, language), language, setDark);
    await arriveSignedIn(page, serviceHere, filledAccount.invited, language);
    await inspect(invitedScreens(page, language), language, setDark);
  });

  test(`webview, ${language}: ${promise(language)}`, async ({ openInApp, serviceHere, filledAccount }) => {
    test.setTimeout(waitLimit(240_000));
    const { app, page } = await openInApp('android', { language });
    const setDark: SetDark = (dark) => page.emulateMedia({ colorScheme: dark ? 'dark' : 'light' });
    await arriveSignedIn(page, serviceHere, filledAccount.email, language);
    await inspect(webviewScreens(page, language, app), language, setDark, [320, 390]);
  });
}

test(`desktop, long pseudo-language: ${promise('pseudo')}`, async ({
  launchHere,
  browserHere,
  directory,
  email,
}) => {
  test.setTimeout(waitLimit(240_000));
  await using service = await startService(`${directory}/service`, undefined, {
    translations: { en: texts.pseudo },
  });
  const account = await fillAccount(browserHere, service, email, 'pseudo');
  const app = await launchHere({ env: { WAYMAKER_API_URL: service.apiUrl } });
  const { page } = app;
  const setDark: SetDark = (dark) => app.setDark(dark);
  await inspect(desktopPublicScreens(page, 'pseudo'), 'pseudo', setDark);
  await arriveSignedIn(page, service, account.email, 'pseudo');
  await inspect(desktopScreens(page, 'pseudo', account), 'pseudo', setDark);
});

test('a text that is cut off, or wider than the window, is seen', async ({ openedConsole: page }) => {
  await expect(new LoginRoute(page).heading).toBeVisible();
  expect(await clippedTexts(page)).toEqual([]);
  await page.evaluate(() => {
    const added = [
      ['width: 40px; overflow: hidden; white-space: nowrap', 'A text that is cut off'],
      ['width: 3000px', 'A text that is too wide'],
    ] as const;
    for (const [style, text] of added) {
      const element = document.createElement('p');
      element.style.cssText = style;
      element.textContent = text;
      document.body.append(element);
    }
  });
  const found = (await clippedTexts(page)).join('\n');
  expect(found).toContain('cut: p “A text that is cut off”');
  expect(found).toContain('outside: p “A text that is too wide”');
});
