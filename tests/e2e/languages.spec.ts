import type { Page } from 'playwright/test';
import { en } from '../../src/renderer/i18n/en.ts';
import { expect, test } from './fixtures.ts';
import { LoginRoute } from './routes/login-route.ts';
import { clippedTexts } from './support/clipped-text.ts';
import { pseudoLanguage } from './support/pseudo-language.ts';
import { startService } from './support/service.ts';
import { signIn } from './support/sign-in.ts';
import { languageTags, texts, type TextLanguage } from './support/texts.ts';
import { openConsole } from './support/web-console.ts';

const languages = Object.keys(texts) as TextLanguage[];
const widths = [390, 1200];

/** Every screen of specification §2 that stays where it is, by its address. */
const publicPaths = [
  '/login',
  '/auth-verify?email=person@example.com&authId=one',
  '/about-us',
  '/no/such/page',
];
const accountPaths = ['/dashboard', '/x', '/self-delete', '/logout', '/pay/confirming?order_id=none'];
const formPaths = ['/members/add', '/apps/create'];
const managePaths = ['/my-service', '/devices', '/orders', '/members', '/apps'];
const nativePaths = ['/vpn', '/mini-apps', '/purchase'];

/** Opens each screen at each width: no text is cut off or wider than the window, and no key is shown for a text. */
async function walk(page: Page, origin: string, paths: readonly string[], says?: RegExp): Promise<void> {
  for (const path of paths) {
    await page.goto(origin + path);
    const heading = page.getByRole('heading', { level: 1 });
    await expect(heading, path).toBeVisible();
    if (says) await expect(heading, path).toHaveText(says);
    await page.waitForLoadState('networkidle');
    for (const width of widths) {
      await page.setViewportSize({ width, height: 800 });
      await page.evaluate(() => document.fonts.ready);
      expect(await clippedTexts(page), `${path} at ${width}px`).toEqual([]);
    }
    const said = await page.locator('body').innerText();
    expect(
      Object.keys(en).filter((key) => said.includes(key)),
      `${path}: keys in the place of texts`,
    ).toEqual([]);
  }
}

for (const language of languages) {
  test(`web console, ${language}: no text of any screen is missing, cut off or too wide`, async ({
    browserHere,
    serviceHere,
    email,
  }) => {
    test.setTimeout(240_000);
    const page = await openConsole(browserHere, serviceHere, { language });
    await walk(page, serviceHere.consoleUrl, publicPaths);
    await new LoginRoute(page, language).open();
    await signIn(page, serviceHere, email, language);
    await walk(page, serviceHere.consoleUrl, [...accountPaths, ...managePaths, ...formPaths]);
  });

  test(`desktop, ${language}: no text of any screen is missing, cut off or too wide`, async ({
    launchHere,
    serviceHere,
    email,
  }) => {
    test.setTimeout(240_000);
    const { page, origin } = await launchHere({ languages: [languageTags[language]] });
    await signIn(page, serviceHere, email, language);
    await walk(page, origin, [...accountPaths, ...managePaths, ...formPaths, ...nativePaths]);
  });
}

test('desktop, long pseudo-language: no text is cut off or too wide, and every heading is translated', async ({
  launchHere,
  directory,
  email,
}) => {
  test.setTimeout(240_000);
  await using service = await startService(`${directory}/service`, undefined, {
    translations: { en: pseudoLanguage },
  });
  const { page, origin } = await launchHere({ env: { WAYMAKER_API_URL: service.apiUrl } });
  await walk(page, origin, publicPaths, /^⟦.*⟧$/);
  // By hand: the texts are not those that other tests look for.
  await page.goto(`${origin}/login`);
  await page.getByRole('textbox').fill(email);
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/auth-verify/);
  await expect(page.getByRole('textbox')).toHaveCount(6);
  await expect(page.getByRole('textbox').first()).toBeFocused();
  await page.keyboard.type(await service.mailbox.code(email));
  await expect(page).toHaveURL(/dashboard/);
  await walk(page, origin, [...accountPaths, ...managePaths, ...formPaths, ...nativePaths], /^⟦.*⟧$/);
});

test('a text that is cut off, or wider than the window, is seen', async ({ browserHere, serviceHere }) => {
  const page = await openConsole(browserHere, serviceHere);
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
