import { LoginRoute } from '../routes/login-route.ts';
import { clippedTexts } from '../support/screens/clipped-text.ts';
import { fillAccount } from '../support/service/filled-account.ts';
import { inspectScreens, promiseOfScreens, type SetDark } from '../support/screens/inspect-screens.ts';
import {
  childScreens,
  desktopPublicScreens,
  desktopScreens,
  invitedScreens,
  signedOutScreens,
  webScreens,
  webviewScreens,
} from '../support/screens/screens.ts';
import { explainedScreen } from '../support/screens/more-screens.ts';
import { startService } from '../support/service/service.ts';
import { arriveSignedIn } from '../support/tunnel/sign-in.ts';
import { languages, languageTags, texts } from '../support/screens/texts.ts';
import { openConsole } from '../support/service/web-console.ts';
import { expect, test } from '../webview/webview-fixtures.ts';
import { waitLimit } from '../../lab/runs/wait-limit.ts';

// Each takes long, and shares nothing with the others but the account that it looks at.
test.describe.configure({ mode: 'parallel' });

for (const language of languages) {
  test(`desktop, ${language}: ${promiseOfScreens(language)}`, async ({
    launchHere,
    serviceHere,
    filledAccount,
  }) => {
    test.setTimeout(waitLimit(240_000));
    const app = await launchHere({ languages: [languageTags[language]] });
    const { page } = app;
    const setDark: SetDark = (dark) => app.setDark(dark);
    await inspectScreens(desktopPublicScreens(page, language), language, setDark);
    await arriveSignedIn(page, serviceHere, filledAccount.email, language);
    await inspectScreens(desktopScreens(page, language, filledAccount), language, setDark);
    // With all that is said on demand.
    await inspectScreens([explainedScreen(page, language)], language, setDark);
  });

  test(`web console, ${language}: ${promiseOfScreens(language)}`, async ({
    browserHere,
    serviceHere,
    filledAccount,
  }) => {
    test.setTimeout(waitLimit(240_000));
    const page = await openConsole(browserHere, serviceHere, { language });
    const setDark: SetDark = (dark) => page.emulateMedia({ colorScheme: dark ? 'dark' : 'light' });
    await inspectScreens(signedOutScreens(page, language), language, setDark);
    await arriveSignedIn(page, serviceHere, filledAccount.email, language);
    await inspectScreens(webScreens(page, language, filledAccount), language, setDark);
    await arriveSignedIn(page, serviceHere, filledAccount.member, language);
    await inspectScreens(childScreens(page, language), language, setDark);
    await arriveSignedIn(page, serviceHere, filledAccount.invited, language);
    await inspectScreens(invitedScreens(page, language), language, setDark);
  });

  test(`webview, ${language}: ${promiseOfScreens(language)}`, async ({
    openInApp,
    serviceHere,
    filledAccount,
  }) => {
    test.setTimeout(waitLimit(240_000));
    const { app, page } = await openInApp('android', { language });
    const setDark: SetDark = (dark) => page.emulateMedia({ colorScheme: dark ? 'dark' : 'light' });
    await arriveSignedIn(page, serviceHere, filledAccount.email, language);
    await inspectScreens(webviewScreens(page, language, app), language, setDark, [320, 390]);
  });
}

test(`desktop, long pseudo-language: ${promiseOfScreens('pseudo')}`, async ({
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
  await inspectScreens(desktopPublicScreens(page, 'pseudo'), 'pseudo', setDark);
  await arriveSignedIn(page, service, account.email, 'pseudo');
  await inspectScreens(desktopScreens(page, 'pseudo', account), 'pseudo', setDark);
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
