import type { Page } from 'playwright/test';
import path from 'node:path';
import { createLab } from '../../lab/lab.ts';
import { waitLimit } from '../../lab/runs/wait-limit.ts';
import { expect, test, withoutRoot } from '../fixtures.ts';
import { SettingsRoute } from '../routes/desktop/settings-route.ts';
import { prepareHelper } from '../support/tunnel/helper.ts';
import {
  inspectedLanguages,
  inspectScreens,
  offersIn,
  promiseOfScreens,
} from '../support/screens/inspect-screens.ts';
import { launchDesktopApp } from '../support/host/launch-desktop-app.ts';
import { installApps, routingSettings, writeCountryLists } from '../support/screens/routing-screens.ts';
import { openScreen } from '../support/screens/screens.ts';
import { serverNames, startService } from '../support/service/service.ts';
import { arriveSignedIn } from '../support/tunnel/sign-in.ts';
import { languageTags, type TextLanguage } from '../support/screens/texts.ts';
import { expectWholeWords } from '../support/screens/parted-words.ts';
import { longName } from '../support/screens/visible-text.ts';

/** Has the app speak another language than it does. */
async function chooseLanguage(page: Page, now: TextLanguage, next: string): Promise<void> {
  const settings = new SettingsRoute(page, now);
  await settings.follow();
  await settings.speech.selectOption(next);
  await expect(settings.heading).toBeHidden();
}

for (const language of inspectedLanguages) {
  test(`what can be set of each routing mode, ${language}: ${promiseOfScreens(language)}`, async ({
    directory,
    email,
  }) => {
    test.skip(withoutRoot, 'the laboratory needs root');
    test.setTimeout(waitLimit(240_000));
    await using lab = await createLab();
    const serviceDirectory = path.join(directory, 'service');
    await writeCountryLists(serviceDirectory);
    await using service = await startService(serviceDirectory, lab, offersIn(language));
    const helper = await prepareHelper(path.join(directory, 'helper'), lab);
    await helper.start();
    const app = await launchDesktopApp({
      lab,
      userData: path.join(directory, 'app'),
      languages: [languageTags[language]],
      env: {
        WAYMAKER_API_URL: service.apiUrl,
        WAYMAKER_HELPER_SOCKET: helper.socket,
        ...(await installApps(path.join(directory, 'data'), [
          serverNames.first,
          serverNames.untrusted,
          longName,
        ])),
      },
    });
    try {
      const { page } = app;
      await arriveSignedIn(page, service, email, language);
      const screens = routingSettings(page, language);
      await inspectScreens(Object.values(screens), language, (dark) => app.setDark(dark));
      // As low as 1280 by 1024 pixels are at 400 %.
      await page.setViewportSize({ width: 320, height: 256 });
      await openScreen({ ...screens.byApp, sees: screens.byApp.route.choosePrograms });
      await openScreen(screens.apps);
      const last = page.getByRole('checkbox').last();
      await last.scrollIntoViewIfNeeded();
      await expect(last).toBeInViewport({ ratio: 0.9 });
      await screens.apps.leave();
      // Chinese lines may end anywhere, which none of the long language's does.
      if (language !== 'pseudo') return;
      await chooseLanguage(page, language, '简体中文');
      await expectWholeWords(page, 'zh-hans');
      await chooseLanguage(page, 'zh-hans', '繁體中文');
      await expectWholeWords(page, 'zh-hant');
    } finally {
      await app.kill();
      await helper.end();
    }
  });
}
