import { expect, test } from '../webview/webview-fixtures.ts';
import { ManageMiniAppsRoute } from '../routes/manage/manage-mini-apps-route.ts';
import { DevicesRoute } from '../routes/manage/devices-route.ts';
import { ManageLinks } from '../routes/manage/manage-links.ts';
import { MembersRoute } from '../routes/manage/members-route.ts';
import { MyServiceRoute } from '../routes/account/my-service-route.ts';
import { OrdersRoute } from '../routes/manage/orders-route.ts';
import { WebFrame } from '../routes/frame/web-frame.ts';
import { WebNoticeRoute } from '../routes/frame/web-notice-route.ts';
import { texts, languages, languageTags } from '../support/screens/texts.ts';
import { AccountRoute } from '../routes/account/account-route.ts';
import { ConnectRoute } from '../routes/connect/connect-route.ts';
import { LoginRoute } from '../routes/account/login-route.ts';
import { MiniAppsRoute } from '../routes/desktop/mini-apps-route.ts';
import { Tabs } from '../routes/frame/tabs.ts';
import { openConnectTab } from '../support/tunnel/connect.ts';
import { expectNoViolations } from '../support/screens/axe.ts';
import { openSettings } from '../support/screens/open-settings.ts';
import { offlineScreen } from '../support/screens/screen-states.ts';
import { openScreen } from '../support/screens/screens.ts';
import { arriveSignedIn, signIn } from '../support/tunnel/sign-in.ts';
import { tunnelScreens } from '../support/screens/tunnel-screens.ts';
import { startApp } from '../webview/open-webview.ts';
import { createWebviewApp } from '../webview/webview-app.ts';

/**
 * What may be longer than the window: what the user has unfolded, and a note of the last minutes of a session, which
 * moves only the folded details out of it.
 */
const longer = new Set([
  'problems-unfolded',
  'connected-details',
  'connected-networks',
  'session-ends-soon',
  'idle-ends-soon',
]);

/** What is laid out in another way than on a phone, where axe looks at every state. */
const wide = new Set(['failed', 'connecting', 'connected']);
test('an address with a slash at its end is the same page, with its breadcrumbs', async ({
  signedInConsole: page,
  serviceHere,
}) => {
  await page.goto(`${serviceHere.consoleUrl}/apps/?from=mail`);
  await expect(new WebNoticeRoute(page, '/apps').heading).toBeVisible();
  const crumb = new WebFrame(page).breadcrumbs.getByText(texts.en['section.apps']);
  await expect(crumb).toHaveAttribute('aria-current', 'page');
  await expect(page).toHaveURL(`${serviceHere.consoleUrl}/apps?from=mail`);
});

test('spec §2: /my-service, /devices, /orders, /members, /apps: whole pages in a webview as on the desktop', async ({
  signInInApp,
}) => {
  const { page } = await signInInApp('ios');
  const links = new ManageLinks(page);
  const service = new MyServiceRoute(page);
  const [devices, orders] = [new DevicesRoute(page), new OrdersRoute(page)];
  const [members, miniApps] = [new MembersRoute(page), new ManageMiniAppsRoute(page)];
  for (const [section, route, content] of [
    ['section.service', service, service.none],
    ['section.devices', devices, devices.current],
    ['section.orders', orders, orders.empty],
    ['section.members', members, members.empty],
    ['section.apps', miniApps, miniApps.empty],
  ] as const) {
    await links.open();
    await links.to(section).click();
    await expect(route.heading).toBeVisible();
    await expect(content).toBeVisible();
  }
});

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
});

test.describe('spec §2: /dashboard: account tab, and in native apps also mini-apps and connect tabs', () => {
  for (const host of ['desktop', 'webview'] as const) {
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

// Chinese texts are the shorter ones.
for (const language of languages) {
  test(`in the window as it opens, no state of the connect tab scrolls: ${language}`, async ({
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
      if (longer.has(screen.name)) height.toBeGreaterThan(0);
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

test('the worst of several problems is shown, and the others are counted, and unfolded by the keyboard', async ({
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
