import type { Page, Response } from 'playwright/test';
import { expect, test } from '../fixtures.ts';
import { AccountRoute } from '../routes/account/account-route.ts';
import { LoginRoute } from '../routes/account/login-route.ts';
import { signIn } from '../support/tunnel/sign-in.ts';
import { languageTags, texts } from '../support/screens/texts.ts';
import { openConsole } from '../support/service/web-console.ts';
import { withoutEvents } from '../support/service/without-events.ts';

const code = /\/assets\/[\w.-]+\.(?:js|css)/g;

/** Paths of the scripts and style sheets that a page's answer names, in its head and in its HTML. */
async function namedWith(page: Response | null): Promise<string[]> {
  if (!page) throw new Error('no answer');
  const named = `${await page.headerValue('link')} ${await page.text()}`.match(code);
  return [...new Set(named)].sort();
}

/** Notes the scripts and style sheets that the page asks for from now on. */
function noteLoaded(page: Page): () => string[] {
  const loaded: string[] = [];
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.match(code)) loaded.push(pathname);
  });
  return () => loaded.sort();
}

test.describe('the first load of the web console', () => {
  for (const language of ['en', 'zh-hant'] as const) {
    test(`names with the page what the page needs, and loads nothing twice: ${language}`, async ({
      browserHere,
      serviceHere,
      email,
    }) => {
      const context = (await openConsole(browserHere, serviceHere, { language })).context();
      const page = await context.newPage();
      const atLogin = noteLoaded(page);
      const login = await page.goto(`${serviceHere.consoleUrl}/login`);
      await expect(new LoginRoute(page, language).heading).toBeVisible();
      await page.waitForLoadState('networkidle');
      await expect.poll(atLogin).toEqual(await namedWith(login));

      await signIn(page, serviceHere, email, language);
      const storageState = await page.context().storageState();
      const fresh = await browserHere.newContext({ storageState, locale: languageTags[language] });
      await withoutEvents(fresh);
      const again = await fresh.newPage();
      const atDashboard = noteLoaded(again);
      const dashboard = await again.goto(`${serviceHere.consoleUrl}/dashboard`);
      await expect(new AccountRoute(again, language).heading).toBeVisible();
      await again.waitForLoadState('networkidle');
      await expect.poll(atDashboard).toEqual(await namedWith(dashboard));
      await fresh.close();
    });
  }

  test('shows the launch screen in the colours of the theme while the scripts are on their way', async ({
    browserHere,
    serviceHere,
  }) => {
    const page = await openConsole(browserHere, serviceHere, { dark: true });
    await expect(new LoginRoute(page).heading).toBeVisible();
    const themeColour = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await page.route(code, async (route) => {
      await released;
      await route.continue();
    });
    await page.goto(`${serviceHere.consoleUrl}/login`, { waitUntil: 'commit' });
    const launch = page.getByText('Waymaker', { exact: true });
    await expect(launch).toBeVisible();
    await expect(new LoginRoute(page).heading).toBeHidden();
    expect(await page.evaluate(() => getComputedStyle(document.body).backgroundColor)).toBe(themeColour);
    release();
    await expect(new LoginRoute(page).heading).toBeVisible();
    await expect(page.locator('.launch-screen')).toHaveCount(0);
  });

  // As where a new build has replaced the files, or where the browser does not understand them.
  test('says how to go on where its script cannot be run, in a while and not before', async ({
    browserHere,
    serviceHere,
  }) => {
    const page = await (await browserHere.newContext()).newPage();
    await page.route(/\/assets\/index-[^/]*\.js$/, (route) => route.fulfill({ status: 404, json: {} }));
    await page.goto(`${serviceHere.consoleUrl}/login`);
    const again = page.getByRole('link', { name: 'load it again' });
    await expect(page.getByText('Waymaker', { exact: true })).toBeVisible();
    await expect(again).toBeHidden();
    await page.evaluate(() => document.getAnimations().forEach((animation) => animation.finish()));
    await expect(again).toBeVisible();
    const logo = page.locator('.launch-screen svg');
    const help = page.locator('.launch-help');
    for (const [width, height] of [
      [1200, 800],
      [320, 568],
      [568, 320],
    ] as const) {
      await page.setViewportSize({ width, height });
      const [above, below] = [await logo.boundingBox(), await help.boundingBox()];
      expect(below!.y, `${width}px wide`).toBeGreaterThanOrEqual(above!.y + above!.height);
      expect(above!.y).toBeGreaterThanOrEqual(0);
    }
    await expect(page.locator('[lang^=zh]').getByRole('link')).toHaveText(['重新加载', '重新載入']);
    await page.unroute(/\/assets\/index-[^/]*\.js$/);
    await again.click();
    await expect(new LoginRoute(page).heading).toBeVisible();
    await expect(again).toHaveCount(0);
  });

  test('shows what is stored at once, with no placeholder before it', async ({
    signedInConsole: page,
    email,
  }) => {
    await expect(new AccountRoute(page).noPlan).toBeVisible();
    // What is shown has been stored; what is still on its way would not be.
    await expect(page.getByText(email)).toBeVisible();
    await page.addInitScript((loading) => {
      const seen = new Set<string>();
      Object.assign(globalThis, { placeholdersSeen: seen });
      new MutationObserver(() => {
        for (const place of document.querySelectorAll(`output[aria-label="${loading}"]`)) {
          seen.add(place.closest('section')?.querySelector('h2')?.textContent ?? 'no section');
        }
      }).observe(document, { childList: true, subtree: true });
    }, texts.en['shell.loading']);
    await page.reload();
    await expect(page.getByText(texts.en['account.received'])).toBeVisible();
    await expect(page.getByText(email)).toBeVisible();
    // Traffic is not stored.
    const seen = await page.evaluate(() => [
      ...(globalThis as unknown as { placeholdersSeen: Set<string> }).placeholdersSeen,
    ]);
    expect(seen).toEqual([texts.en['account.traffic']]);
  });
});
