import type { Page } from 'playwright/test';
import { AccountRoute } from '../routes/account/account-route.ts';
import { LoginRoute } from '../routes/account/login-route.ts';
import { MoreLinks } from '../routes/account/more-links.ts';
import { RedeemRoute } from '../routes/account/redeem-route.ts';
import { Tabs } from '../routes/frame/tabs.ts';
import { MiniAppsRoute } from '../routes/desktop/mini-apps-route.ts';
import { pauseClock, tickUntil } from '../support/host/tick-until.ts';
import { signIn } from '../support/tunnel/sign-in.ts';
import { texts } from '../support/screens/texts.ts';
import { openConsole } from '../support/service/web-console.ts';
import { expect, test } from '../webview/webview-fixtures.ts';

/** Files of a page's own, by a part of their names. */
const chunk = (name: string) => new RegExp(`/assets/${name}-[^/]*\\.js$`);

const crashed = (page: Page) => page.getByRole('heading', { name: texts.en['crash.title'] });

test.describe('a browser that refuses its storage:', () => {
  const refusals: Record<string, () => void> = {
    'by throwing': () => {
      const get = () => {
        throw new DOMException('Access is denied for this document.', 'SecurityError');
      };
      Object.defineProperty(window, 'localStorage', { get });
    },
    'by having none': () => Object.defineProperty(window, 'localStorage', { get: () => null }),
  };
  for (const how of Object.keys(refusals)) {
    test(`${how}, has every page all the same, and says that nothing is kept`, async ({
      browserHere,
      serviceHere,
      email,
    }) => {
      const page = await openConsole(browserHere, serviceHere, { path: '/about-us' });
      await page.addInitScript(refusals[how] ?? (() => undefined));
      await page.goto(`${serviceHere.consoleUrl}/login`);
      await signIn(page, serviceHere, email);
      await expect(page.getByText(texts.en['account.memoryTitleWeb'])).toBeVisible();
      await expect(page.getByText(texts.en['error.storage'])).toHaveCount(0);
      await new MoreLinks(page).to('redeem.title').click();
      await expect(new RedeemRoute(page).heading).toBeVisible();
    });
  }

  test('later on, does not lose what the page knows', async ({ openedConsole: page, serviceHere, email }) => {
    await expect(new LoginRoute(page).heading).toBeVisible();
    await page.evaluate(() => {
      for (const name of ['getItem', 'setItem', 'removeItem'] as const) {
        Storage.prototype[name] = () => {
          throw new DOMException('refused', 'SecurityError');
        };
      }
    });
    await signIn(page, serviceHere, email);
    await new MoreLinks(page).to('redeem.title').click();
    await expect(new RedeemRoute(page).heading).toBeVisible();
  });
});

test.describe("a page's chunk that cannot be loaded:", () => {
  test('does not stay broken: another visit loads it, and so does the button', async ({
    signedInConsole: page,
  }) => {
    await page.route(chunk('redeem-page'), (route) => route.abort());
    const more = new MoreLinks(page);
    await more.to('redeem.title').click();
    await expect(crashed(page)).toBeVisible();
    await page.goBack();
    await expect(new AccountRoute(page).heading).toBeVisible();
    await page.unroute(chunk('redeem-page'));
    await more.to('redeem.title').click();
    await expect(new RedeemRoute(page).heading).toBeVisible();

    await page.route(chunk('about-page'), (route) => route.abort());
    await page.goBack();
    await more.to('about.title').click();
    await expect(crashed(page)).toBeVisible();
    await page.unroute(chunk('about-page'));
    await page.getByRole('button', { name: texts.en['crash.reload'] }).click();
    await expect(page.getByRole('heading', { level: 1, name: texts.en['about.title'] })).toBeVisible();
  });

  test('is loaded once the browser is online again', async ({ signedInConsole: page }) => {
    await page.route(chunk('redeem-page'), (route) => route.abort());
    await new MoreLinks(page).to('redeem.title').click();
    await expect(crashed(page)).toBeVisible();
    await page.unroute(chunk('redeem-page'));
    await page.evaluate(() => dispatchEvent(new Event('online')));
    await expect(new RedeemRoute(page).heading).toBeVisible();
  });

  test('that never comes is given up after 20 s', async ({ signedInConsole: page }) => {
    await page.clock.install();
    await page.route(chunk('redeem-page'), () => Promise.resolve());
    const asked = page.waitForRequest(chunk('redeem-page'));
    await new MoreLinks(page).to('redeem.title').click();
    await asked;
    await page.clock.runFor(20_000);
    await expect(crashed(page)).toBeVisible();
  });

  test('with the texts, before anything can be shown: the launch screen has a link to load it again', async ({
    browserHere,
    serviceHere,
  }) => {
    const page = await openConsole(browserHere, serviceHere, { path: '/about-us' });
    await page.route(chunk('en'), (route) => route.abort());
    await page.goto(`${serviceHere.consoleUrl}/login`);
    const again = page.getByRole('link', { name: 'load it again' });
    await expect(again).toBeVisible();
    await page.unroute(chunk('en'));
    await again.click();
    await expect(new LoginRoute(page).heading).toBeVisible();
  });
});

test.describe("a call that is not answered ends after 20 s, with the specification's message:", () => {
  /** From now on, no time passes for the page but what the test says. Returns whether it has been asked. */
  const neverAnswer = async (page: Page, path: string) => {
    let isAsked = false;
    await page.route(path, () => {
      isAsked = true;
    });
    await page.clock.install();
    await pauseClock(page);
    return () => isAsked;
  };

  test('a list in a webview can be loaded again', async ({ signInInApp }) => {
    const { page } = await signInInApp('android');
    const isAsked = await neverAnswer(page, '**/api/my-apps');
    await new Tabs(page).miniApps.click();
    await tickUntil(page, async () => expect(isAsked()).toBe(true));
    const miniApps = new MiniAppsRoute(page);
    await page.clock.runFor(19_000);
    await expect(miniApps.retry).toBeHidden();
    await page.clock.runFor(1000);
    await tickUntil(page, () =>
      expect(page.getByText(texts.en['error.network'])).toBeVisible({ timeout: 1000 }),
    );
    await page.unroute('**/api/my-apps');
    await page.clock.resume();
    await miniApps.retry.click();
    await expect(miniApps.empty).toBeVisible();
  });
});
