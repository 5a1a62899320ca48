import { AccountRoute } from '../routes/account-route.ts';
import { ConnectRoute } from '../routes/connect-route.ts';
import { LoginRoute } from '../routes/login-route.ts';
import { MiniAppsRoute } from '../routes/mini-apps-route.ts';
import { Tabs } from '../routes/tabs.ts';
import { WebFrame } from '../routes/web-frame.ts';
import { WebNoticeRoute } from '../routes/web-notice-route.ts';
import { openConnectTab } from '../support/tunnel/connect.ts';
import { expectNoViolations } from '../support/screens/axe.ts';
import { openSettings } from '../support/screens/open-settings.ts';
import { offlineScreen } from '../support/screens/screen-states.ts';
import { openScreen } from '../support/screens/screens.ts';
import { arriveSignedIn, signIn } from '../support/tunnel/sign-in.ts';
import { languages, languageTags, texts, type TextLanguage } from '../support/screens/texts.ts';
import { tunnelScreens } from '../support/screens/tunnel-screens.ts';
import { casesOf } from '../../lab/runs/thoroughness.ts';
import { startApp } from '../webview/open-webview.ts';
import { createWebviewApp } from '../webview/webview-app.ts';
import { expect } from '../webview/webview-fixtures.ts';
import { keepPagesHere } from '../webview/kept-pages.ts';

const test = keepPagesHere();

test.describe('spec §2: web layout: header with a login/dashboard button, breadcrumbs, and a footer with links', () => {
  test('the button is login for a stranger and dashboard for a user, and both lead there', async ({
    openedConsole: page,
    serviceHere,
    email,
  }) => {
    const frame = new WebFrame(page);
    await page.goto(`${serviceHere.consoleUrl}/about-us`);
    await expect(frame.dashboard).toBeHidden();
    await frame.login.click();
    await expect(new LoginRoute(page).heading).toBeVisible();
    await signIn(page, serviceHere, email);
    await expect(frame.login).toBeHidden();
    await page.goto(`${serviceHere.consoleUrl}/x`);
    await frame.dashboard.click();
    await expect(new AccountRoute(page).heading).toBeVisible();
  });

  test('links to devices, service, purchase, orders, members, apps and privacy policy; breadcrumbs lead back; no tab bar at all', async ({
    signedInConsole: page,
    serviceHere,
  }) => {
    await expect(new AccountRoute(page).heading).toBeVisible();
    await expect(new Tabs(page).bar).toHaveCount(0);
    for (const section of ['section.connect', 'section.miniApps'] as const) {
      await expect(page.getByRole('link', { name: texts.en[section], exact: true })).toHaveCount(0);
    }
    const frame = new WebFrame(page);
    const paths = {
      devices: '/devices',
      service: '/my-service',
      purchase: '/purchase',
      orders: '/orders',
      members: '/members',
      apps: '/apps',
    } as const;
    await expect(frame.footer.getByRole('link')).toHaveCount(7);
    for (const [section, path] of Object.entries(paths)) {
      const link = frame.footerLink(`section.${section as keyof typeof paths}`);
      await expect(link).toHaveAttribute('href', path);
    }
    const privacy = `${serviceHere.consoleUrl}/store/privacy`;
    await expect(frame.footerLink('section.privacy')).toHaveAttribute('href', privacy);
    await frame.footerLink('section.orders').click();
    await expect(new WebNoticeRoute(page, '/orders').heading).toBeVisible();
    await expect(frame.breadcrumbs.getByText(texts.en['section.orders'])).toHaveAttribute(
      'aria-current',
      'page',
    );
    await frame.breadcrumbs.getByRole('link', { name: texts.en['shell.dashboard'] }).click();
    await expect(new AccountRoute(page).heading).toBeVisible();
  });
});

test.describe('spec §2: /dashboard: account tab; native apps also have mini-apps and connect tabs', () => {
  for (const host of casesOf<'desktop' | 'webview'>({ usual: ['desktop'], all: ['desktop', 'webview'] })) {
    test(`native layout: bottom tab bar, in the ${host}`, async ({
      launchHere,
      openInApp,
      serviceHere,
      email,
    }) => {
      const { page } = host === 'desktop' ? await launchHere() : await openInApp('ios');
      const tabs = new Tabs(page);
      await expect(new LoginRoute(page).heading).toBeVisible();
      await expect(tabs.bar).toBeHidden();
      await signIn(page, serviceHere, email);
      // Where there is room for it, the settings stand at their foot.
      await expect(tabs.bar.getByRole('link')).toHaveCount(host === 'desktop' ? 4 : 3);
      const frame = new WebFrame(page);
      await expect(frame.header).toHaveCount(0);
      await expect(frame.footer).toHaveCount(0);
      const bar = await tabs.bar.boundingBox();
      const height = await page.evaluate(() => window.innerHeight);
      expect(Math.round((bar?.y ?? 0) + (bar?.height ?? 0))).toBe(height);
      for (const [tab, route] of [
        [tabs.connect, new ConnectRoute(page)],
        [tabs.miniApps, new MiniAppsRoute(page)],
        [tabs.account, new AccountRoute(page)],
      ] as const) {
        await tab.click();
        await expect(route.heading).toBeVisible();
        await expect(tabs.bar.locator('[aria-current=page]')).toHaveText((await tab.textContent()) ?? '');
      }
      await openSettings(page);
      const settingsTab = host === 'desktop' ? tabs.settings : tabs.account;
      await expect(tabs.bar.locator('[aria-current]:visible')).toHaveText(
        (await settingsTab.textContent()) ?? '',
      );
    });
  }
});

/** What the user has unfolded, which may be longer than the window. */
const unfolded = new Set(['problems-unfolded', 'connected-details', 'connected-networks']);

/** What is laid out in another way than on a phone, where axe looks at every state. */
const wide = new Set(['failed', 'connecting', 'connected']);

// Chinese texts are the shorter ones.
for (const language of casesOf<TextLanguage>({ usual: ['en'], all: languages })) {
  test(`in the window as it opens, no state of the connect tab scrolls; ${language}`, async ({
    browserHere,
    serviceHere,
    email,
  }) => {
    const app = createWebviewApp('android');
    // As large as src/main opens it, and without a finger, for which everything is larger.
    const context = await browserHere.newContext({
      viewport: { width: 960, height: 720 },
      locale: languageTags[language],
      reducedMotion: 'reduce',
    });
    const page = await startApp(context, { platform: 'android', app, url: `${serviceHere.consoleUrl}/` });
    await arriveSignedIn(page, serviceHere, email, language);
    const connect = await openConnectTab(page, language);
    const tooHigh = () => page.evaluate(() => document.documentElement.scrollHeight - innerHeight);
    await expect(connect.welcomeRead).toBeVisible();
    expect.soft(await tooHigh(), 'first use').toBe(0);
    await connect.welcomeRead.click();
    for (const screen of tunnelScreens(page, language, app)) {
      await openScreen(screen);
      const height = expect.soft(await tooHigh(), screen.name);
      // The positive control: this is seen to scroll.
      if (unfolded.has(screen.name)) height.toBeGreaterThan(0);
      else height.toBe(0);
      if (language === 'en' && wide.has(screen.name)) {
        await expectNoViolations(page, screen.name);
        await page.emulateMedia({ colorScheme: 'dark' });
        await expectNoViolations(page, `${screen.name}, dark`, { only: ['color-contrast'] });
        await page.emulateMedia({ colorScheme: 'light' });
      }
    }
    app.become({ state: 'disconnected' });
    await openScreen(offlineScreen(page, language, { name: 'offline', route: connect }));
    expect.soft(await tooHigh(), 'offline').toBe(0);
    await expect(new Tabs(page, language).settings).toBeInViewport({ ratio: 1 });
    // Beside a longer page, too.
    await page.setViewportSize({ width: 960, height: 400 });
    expect(await tooHigh()).toBeGreaterThan(0);
    await expect(new Tabs(page, language).settings).toBeInViewport({ ratio: 1 });
  });
}

test('of several problems the worst is shown; the others are counted, and unfolded by the keyboard', async ({
  signInInApp,
}) => {
  const { app, page } = await signInInApp('android');
  const connect = await openConnectTab(page);
  const problems = tunnelScreens(page, 'en', app).find(({ name }) => name === 'problems');
  await openScreen(problems!);
  await expect(connect.otherProblems).toHaveText('Other problems: 2');
  await expect(connect.says('problem.noInternetText')).toBeVisible();
  await expect(connect.says('problem.noDnsText')).toBeHidden();
  await connect.otherProblems.focus();
  for (const isShown of [true, false]) {
    await page.keyboard.press('Enter');
    for (const text of ['problem.noDnsText', 'problem.ipv6SilentText'] as const)
      await expect(connect.says(text)).toBeVisible({ visible: isShown });
    await expect(connect.otherProblems).toBeFocused();
  }
});
