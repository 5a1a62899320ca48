import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { LoginRoute } from '../routes/login-route.ts';
import { clippedTexts } from '../support/screens/clipped-text.ts';
import type { FilledAccount } from '../support/service/filled-account.ts';
import {
  inspectedLanguages,
  inspectPage,
  inspectScreens,
  offersIn,
  promiseOfScreens,
  type SetDark,
} from '../support/screens/inspect-screens.ts';
import { fillLongAccount } from '../support/screens/long-account.ts';
import {
  childScreens,
  desktopPublicScreens,
  desktopScreens,
  invitedScreens,
  fewScreens,
  type Screen,
  signedOutScreens,
  webScreens,
  webviewScreens,
} from '../support/screens/screens.ts';
import { explainedScreen } from '../support/screens/more-screens.ts';
import { chooserScreens } from '../support/screens/server-list-screens.ts';
import { openStoreScreens } from '../support/screens/store-screens.ts';
import { startService, type TestService } from '../support/service/service.ts';
import { arriveSignedIn } from '../support/tunnel/sign-in.ts';
import { languages, languageTags } from '../support/screens/texts.ts';
import { openConsole } from '../support/service/web-console.ts';
import { expect, test } from '../webview/webview-fixtures.ts';
import { isExhaustive } from '../../lab/runs/thoroughness.ts';
import { waitLimit } from '../../lab/runs/wait-limit.ts';

/** A service with an account for the tests around, which look at it and do not change it. */
function keepAccount(offers: Parameters<typeof startService>[2] = {}) {
  const here = {} as { service: TestService & AsyncDisposable; account: FilledAccount };
  let directory: string;
  test.beforeAll(async () => {
    test.setTimeout(waitLimit(60_000));
    directory = await mkdtemp(path.join(os.tmpdir(), 'waymaker-e2e-'));
    here.service = await startService(directory, undefined, offers);
    here.account = await fillLongAccount(here.service, 'person@example.com');
  });
  test.afterAll(async () => {
    await here.service[Symbol.asyncDispose]();
    await rm(directory, { recursive: true, force: true });
  });
  return here;
}

/** In `npm test`, what the desktop app is looked at for is not looked at again on another host. */
function unlessOnDesktop(screens: readonly Screen[], account: FilledAccount): readonly Screen[] {
  const route = screens[0]?.route;
  if (isExhaustive || !route) return screens;
  const { page, language } = route;
  const onDesktop = [...desktopPublicScreens(page, language), ...desktopScreens(page, language, account)];
  const names = new Set(onDesktop.map(({ name }) => name));
  return screens.filter(({ name }) => !names.has(name));
}

for (const language of inspectedLanguages) {
  test.describe(`${language}: ${promiseOfScreens(language)}:`, () => {
    test.describe.configure({ timeout: waitLimit(300_000) });
    const here = keepAccount(offersIn(language));

    test('desktop', async ({ launchHere }) => {
      const { service, account } = here;
      const app = await launchHere({
        languages: [languageTags[language]],
        env: { WAYMAKER_API_URL: service.apiUrl },
      });
      const { page } = app;
      const setDark: SetDark = (dark) => app.setDark(dark);
      await inspectScreens(desktopPublicScreens(page, language), language, setDark);
      await arriveSignedIn(page, service, account.email, language);
      await inspectScreens(desktopScreens(page, language, account), language, setDark);
      // With all that is said on demand.
      await inspectScreens([explainedScreen(page, language)], language, setDark);
    });

    test('web console', async ({ browserHere }) => {
      const { service, account } = here;
      const page = await openConsole(browserHere, service, { language });
      const setDark: SetDark = (dark) => page.emulateMedia({ colorScheme: dark ? 'dark' : 'light' });
      await inspectScreens(unlessOnDesktop(signedOutScreens(page, language), account), language, setDark);
      await arriveSignedIn(page, service, account.email, language);
      await inspectScreens(unlessOnDesktop(webScreens(page, language, account), account), language, setDark);
      await arriveSignedIn(page, service, account.member, language);
      await inspectScreens(childScreens(page, language), language, setDark);
      await arriveSignedIn(page, service, account.invited, language);
      await inspectScreens(invitedScreens(page, language), language, setDark);
    });

    test('webview', async ({ openInApp }) => {
      const { service, account } = here;
      const { app, page } = await openInApp('android', { language, url: `${service.consoleUrl}/` });
      const setDark: SetDark = (dark) => page.emulateMedia({ colorScheme: dark ? 'dark' : 'light' });
      await arriveSignedIn(page, service, account.email, language);
      await inspectScreens(
        unlessOnDesktop(webviewScreens(page, language, app), account),
        language,
        setDark,
        [320, 390],
      );
      app.become({ state: 'disconnected' });
      await inspectScreens(chooserScreens(page, language, app), language, setDark);
    });

    test('the store, and where its payment provider asks', async ({ browserHere }) => {
      const { service } = here;
      const page = await openConsole(browserHere, service, { language });
      const setDark: SetDark = (dark) => page.emulateMedia({ colorScheme: dark ? 'dark' : 'light' });
      await page.emulateMedia({ reducedMotion: 'reduce' });
      let isDark = false;
      for await (const { name, says } of openStoreScreens(page, service, 'buyer@example.com', language)) {
        await inspectPage(page, name, says, setDark, { isDark });
        isDark = !isDark;
      }
    });
  });
}

// Dates, figures, countries and the ends of lines are others in each language, and names are longer than what is seen.
if (isExhaustive)
  test.describe('in every language of the product', () => {
    test.describe.configure({ timeout: waitLimit(300_000) });
    // Where the service has no texts of its own: the long language stands in the place of English.
    const here = keepAccount();

    for (const language of languages) {
      test(`few screens in ${language}: ${promiseOfScreens(language)}`, async ({ openInApp }) => {
        const { service, account } = here;
        const { app, page } = await openInApp('android', { language, url: `${service.consoleUrl}/` });
        const setDark: SetDark = (dark) => page.emulateMedia({ colorScheme: dark ? 'dark' : 'light' });
        await arriveSignedIn(page, service, account.email, language);
        await inspectScreens(fewScreens(page, language, account, app), language, setDark, [320, 390]);
        const lists = new Set(['servers-kept', 'servers-measured']);
        const choosers = chooserScreens(page, language, app).filter(({ name }) => lists.has(name));
        await inspectScreens(choosers, language, setDark, [320, 390]);
      });
    }
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
