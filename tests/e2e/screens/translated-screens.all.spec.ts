import type { Page } from 'playwright/test';
import { waitLimit } from '../../lab/runs/wait-limit.ts';
import { fillLongAccount } from '../support/screens/long-account.ts';
import { appScreens, openScreen, webScreens, type Screen } from '../support/screens/screens.ts';
import { tunnelScreens } from '../support/screens/tunnel-screens.ts';
import { noteFailures, staleTexts, translatePage } from '../support/screens/translate-page.ts';
import { openSignedIn } from '../support/tunnel/sign-in.ts';
import { expect, test } from '../webview/webview-fixtures.ts';

test.describe.configure({ timeout: waitLimit(150_000) });

/** Goes through the screens, of which none is reloaded, while the page is being translated. */
async function expectTranslatable(page: Page, screens: readonly Screen[]): Promise<void> {
  const failures = noteFailures(page);
  await translatePage(page);
  for (const screen of screens.filter(({ loads }) => !loads)) {
    await openScreen(screen);
    await screen.leave?.();
    expect.soft(await staleTexts(page), screen.name).toEqual([]);
    expect.soft(failures.splice(0), screen.name).toEqual([]);
  }
}

test('a phone’s app that the browser translates goes on working, and says what is so', async ({
  signInInApp,
  serviceHere,
  email,
}) => {
  const account = await fillLongAccount(serviceHere, email);
  const { app, page } = await signInInApp('android');
  await expectTranslatable(page, [...appScreens(page, 'en', account), ...tunnelScreens(page, 'en', app)]);
});

test('a web console that the browser translates goes on working, and says what is so', async ({
  browserHere,
  serviceHere,
  email,
}) => {
  const account = await fillLongAccount(serviceHere, email);
  const page = await openSignedIn(browserHere, serviceHere, email);
  await expectTranslatable(page, webScreens(page, 'en', account));
});
