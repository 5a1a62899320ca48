import path from 'node:path';
import { createLab } from '../../lab/lab.ts';
import { waitLimit } from '../../lab/runs/wait-limit.ts';
import { withoutRoot } from '../fixtures.ts';
import { ConnectRoute } from '../routes/connect-route.ts';
import { expectNoViolations } from '../support/screens/axe.ts';
import { prepareHelper } from '../support/tunnel/helper.ts';
import { inspectScreens, promiseOfScreens } from '../support/screens/inspect-screens.ts';
import { launchDesktopApp } from '../support/host/launch-desktop-app.ts';
import { installApps, routingSettings, writeCountryLists } from '../support/screens/routing-screens.ts';
import { chooserScreens } from '../support/screens/server-list-screens.ts';
import { openScreen } from '../support/screens/screens.ts';
import { serverNames, startService } from '../support/service/service.ts';
import { arriveSignedIn } from '../support/tunnel/sign-in.ts';
import { languages, languageTags, texts } from '../support/screens/texts.ts';
import { expectWholeWords } from '../support/screens/parted-words.ts';
import { longName } from '../support/screens/visible-text.ts';
import { expect, test } from '../webview/webview-fixtures.ts';

// Each takes long, and shares nothing with the others.
test.describe.configure({ mode: 'parallel' });

test('too little contrast in a dialog is seen, whatever is behind it', async ({ signInInApp }) => {
  const { app, page } = await signInInApp('android');
  await page.setViewportSize({ width: 1200, height: 800 });
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await openScreen(chooserScreens(page, 'en', app)[0]!);
  const contrast = () => expectNoViolations(page, 'servers', { only: ['color-contrast'] });
  await contrast();
  await page
    .getByRole('dialog')
    .getByRole('heading')
    .evaluate((title) => (title.style.color = 'silver'));
  await expect(contrast()).rejects.toThrow(/color-contrast/);
});

for (const { shown, width, height, text } of [
  // WCAG 2.2, 1.4.10: 1280 by 1024 pixels at 400 %.
  { shown: 'at 400 %', width: 320, height: 256, text: '100%' },
  { shown: 'on a phone with text of 200 %', width: 360, height: 640, text: '200%' },
]) {
  test(`${shown}, a server can be chosen, and the list closed`, async ({ signInInApp }) => {
    const { app, page } = await signInInApp('android');
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await page.setViewportSize({ width, height });
    await openScreen(chooserScreens(page, 'en', app)[0]!);
    await page.evaluate((size) => document.documentElement.style.setProperty('font-size', size), text);
    const connect = new ConnectRoute(page);
    const close = page.getByRole('dialog').getByRole('button', { name: texts.en['servers.close'] });
    for (const control of [connect.search, close, connect.server('Aurora 11')]) {
      await control.scrollIntoViewIfNeeded();
      await expect(control).toBeInViewport({ ratio: 0.9 });
    }
    await connect.server('Aurora 11').click();
    await expect(connect.chosen('Aurora 11')).toBeVisible();
  });
}

for (const language of [...languages, 'pseudo'] as const) {
  const offers = language === 'pseudo' ? { translations: { en: texts.pseudo } } : {};

  test(`the servers to choose from, ${language}: ${promiseOfScreens(language)}`, async ({
    openInApp,
    directory,
    email,
  }) => {
    test.setTimeout(waitLimit(240_000));
    await using service = await startService(path.join(directory, 'service'), undefined, offers);
    const url = `${service.consoleUrl}/`;
    const { app, page } = await openInApp('android', { language, url });
    await arriveSignedIn(page, service, email, language);
    const setDark = (dark: boolean) => page.emulateMedia({ colorScheme: dark ? 'dark' : 'light' });
    await inspectScreens(chooserScreens(page, language, app), language, setDark);
  });

  test(`what can be set of each routing mode, ${language}: ${promiseOfScreens(language)}`, async ({
    directory,
    email,
  }) => {
    test.skip(withoutRoot, 'the laboratory needs root');
    test.setTimeout(waitLimit(240_000));
    await using lab = await createLab();
    const serviceDirectory = path.join(directory, 'service');
    await writeCountryLists(serviceDirectory);
    await using service = await startService(serviceDirectory, lab, offers);
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
      if (language === 'zh-hans' || language === 'zh-hant') await expectWholeWords(page, language);
      const screens = routingSettings(page, language);
      await inspectScreens(Object.values(screens), language, (dark) => app.setDark(dark));
      // As low as 1280 by 1024 pixels are at 400 %.
      await page.setViewportSize({ width: 320, height: 256 });
      await openScreen({ ...screens.byApp, sees: screens.byApp.route.chooseApps });
      await openScreen(screens.apps);
      const last = page.getByRole('checkbox').last();
      await last.scrollIntoViewIfNeeded();
      await expect(last).toBeInViewport({ ratio: 0.9 });
    } finally {
      await app.kill();
      await helper.end();
    }
  });
}
