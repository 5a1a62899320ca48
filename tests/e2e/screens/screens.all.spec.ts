import {
  inspectedLanguages,
  inspectPage,
  inspectScreens,
  offersIn,
  promiseOfScreens,
  type SetDark,
} from '../support/screens/inspect-screens.ts';
import { keepFilledAccount } from '../support/screens/long-account.ts';
import {
  childScreens,
  desktopPublicScreens,
  desktopScreens,
  invitedScreens,
  fewScreens,
  signedOutScreens,
  webScreens,
  webviewScreens,
} from '../support/screens/screens.ts';
import { explainedScreen } from '../support/screens/more-screens.ts';
import { chooserScreens } from '../support/screens/server-list-screens.ts';
import { openStoreScreens } from '../support/screens/store-screens.ts';
import { arriveSignedIn } from '../support/tunnel/sign-in.ts';
import { languages, languageTags } from '../support/screens/texts.ts';
import { openConsole } from '../support/service/web-console.ts';
import { test } from '../webview/webview-fixtures.ts';
import { waitLimit } from '../../lab/runs/wait-limit.ts';

for (const language of inspectedLanguages) {
  test.describe(`${language}: ${promiseOfScreens(language)}:`, () => {
    test.describe.configure({ timeout: waitLimit(300_000) });
    const here = keepFilledAccount(test, offersIn(language));

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
      await inspectScreens(signedOutScreens(page, language), language, setDark);
      await arriveSignedIn(page, service, account.email, language);
      await inspectScreens(webScreens(page, language, account), language, setDark);
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
      await inspectScreens(webviewScreens(page, language, app), language, setDark, [320, 390]);
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
test.describe('in every language of the product', () => {
  test.describe.configure({ timeout: waitLimit(300_000) });
  // Where the service has no texts of its own: the long language stands in the place of English.
  const here = keepFilledAccount(test);

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
