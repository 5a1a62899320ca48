import type { BrowserContext, Page } from 'playwright/test';
import { ConnectRoute } from '../routes/connect/connect-route.ts';
import { LoginRoute } from '../routes/account/login-route.ts';
import { expectNoViolations } from '../support/screens/axe.ts';
import { clippedTexts } from '../support/screens/clipped-text.ts';
import { lostRoles } from '../support/screens/lost-roles.ts';
import { inspectScreens, promiseOfScreens, type SetDark } from '../support/screens/inspect-screens.ts';
import { fillLongAccount } from '../support/screens/long-account.ts';
import { openScreen, usualScreens } from '../support/screens/screens.ts';
import { chooserScreens } from '../support/screens/server-list-screens.ts';
import { languageTags, texts, type TextLanguage } from '../support/screens/texts.ts';
import { arriveSignedIn } from '../support/tunnel/sign-in.ts';
import { casesOf } from '../../lab/runs/thoroughness.ts';
import { waitLimit } from '../../lab/runs/wait-limit.ts';
import { startApp } from '../webview/open-webview.ts';
import { createWebviewApp } from '../webview/webview-app.ts';
import { expect, test } from '../fixtures.ts';

const language: TextLanguage = 'pseudo';

/** Has the service speak this language in the place of English. */
const translate = (context: BrowserContext) =>
  context.route('**/api/translations/**', (route) =>
    route.fulfill({ json: { code: 0, msg: '', data: texts[language] } }),
  );

test.describe.configure({ timeout: waitLimit(150_000) });

test(`every page of a phone’s app: ${promiseOfScreens(language)}`, async ({
  browserHere,
  serviceHere,
  email,
}) => {
  const account = await fillLongAccount(serviceHere, email);
  const app = createWebviewApp('android');
  // Not as on a phone, whose pictures have four times as many pixels.
  const context = await browserHere.newContext({ locale: languageTags[language] });
  await translate(context);
  const page = await startApp(context, { platform: 'android', app, url: `${serviceHere.consoleUrl}/` });
  await expect(new LoginRoute(page, language).heading).toBeVisible();
  const setDark: SetDark = (dark) => page.emulateMedia({ colorScheme: dark ? 'dark' : 'light' });
  const screens = usualScreens(page, language, account, app);
  const narrowest = [320];
  await inspectScreens(screens.otherPublic, language, setDark, narrowest);
  await inspectScreens(screens.signedOut, language, setDark);
  await expectFaultsSeen(page);
  await arriveSignedIn(page, serviceHere, email, language);
  await inspectScreens(screens.signedIn, language, setDark);
  await inspectScreens(screens.otherPages, language, setDark, narrowest);
  await inspectScreens(screens.tunnel, language, setDark, [320, 390]);
  app.become({ state: 'disconnected' });
  await inspectScreens(screens.choosers, language, setDark);

  await page.emulateMedia({ colorScheme: 'light' });
  const connect = new ConnectRoute(page, language);
  const dialog = page.getByRole('dialog');
  const close = dialog.getByRole('button', { name: texts[language]['servers.close'] });
  const [servers] = chooserScreens(page, language, app);
  await openScreen(servers!);
  const contrast = () => expectNoViolations(page, 'servers', { only: ['color-contrast'] });
  await contrast();
  await dialog.getByRole('heading').evaluate((title) => (title.style.color = 'silver'));
  await expect(contrast()).rejects.toThrow(/color-contrast/);

  // WCAG 2.2, 1.4.10: 1280 by 1024 pixels at 400 %.
  const magnified = { width: 320, height: 256, text: '100%', chosen: 'Aurora 21' };
  const onPhone = { width: 360, height: 640, text: '200%', chosen: 'Aurora 11' };
  for (const { width, height, text, chosen } of casesOf({ usual: [magnified], all: [magnified, onPhone] })) {
    await page.setViewportSize({ width, height });
    if (await dialog.isHidden()) await openScreen(servers!);
    await page.evaluate((size) => document.documentElement.style.setProperty('font-size', size), text);
    for (const control of [connect.search, close, connect.server(chosen)]) {
      await control.scrollIntoViewIfNeeded();
      await expect(control).toBeInViewport({ ratio: 0.9 });
    }
    await connect.server(chosen).click();
    await expect(connect.chosen(chosen)).toBeVisible();
  }
});

/** The positive control of what inspects every page. */
async function expectFaultsSeen(page: Page): Promise<void> {
  expect(await clippedTexts(page)).toEqual([]);
  expect(await lostRoles(page)).toEqual([]);
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
    document.body.insertAdjacentHTML(
      'beforeend',
      '<ul><li>of links</ul><button><i role="status"></i></button><svg aria-label="graph"></svg><a href="https://a.example/" rel="noreferrer">Out</a>',
    );
  });
  const found = (await clippedTexts(page)).join('\n');
  expect(found).toContain('cut: p “A text that is cut off”');
  expect(found).toContain('outside: p “A text that is too wide”');
  const lost = (await lostRoles(page)).join('\n');
  for (const what of ['no list: <ul>', 'a region in a button: <i', 'no picture: <svg', 'a link out that'])
    expect(lost).toContain(what);
}
