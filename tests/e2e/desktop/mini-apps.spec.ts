import type { Page } from 'playwright/test';
import type { MiniAppType } from '../../../src/shared/entities.ts';
import { eventually } from '../../lab/runs/process.ts';
import { expect, test } from '../fixtures.ts';
import { AccountRoute } from '../routes/account/account-route.ts';
import { LoginRoute } from '../routes/account/login-route.ts';
import { LogoutRoute } from '../routes/account/logout-route.ts';
import { MiniAppsRoute } from '../routes/desktop/mini-apps-route.ts';
import { Tabs } from '../routes/frame/tabs.ts';
import { arriveSignedIn } from '../support/tunnel/sign-in.ts';
import { must, signInByApi } from '../support/service/api-user.ts';
import type { DesktopApp } from '../support/host/desktop-app.ts';
import { startHostileSite, type HostileSite } from '../support/machine/hostile-site.ts';
import type { TestService } from '../support/service/service.ts';
import { isExhaustive } from '../../lab/runs/thoroughness.ts';

/** Offers the user these mini-apps, and goes to the mini-apps tab. */
async function openMiniApps(
  { page }: DesktopApp,
  service: TestService,
  email: string,
  offered: { name: string; type: MiniAppType; link: string }[],
): Promise<MiniAppsRoute> {
  const user = await signInByApi(service, email);
  for (const [index, miniApp] of offered.entries()) {
    must(
      await user.call('createApp', {
        body: { ...miniApp, icon: '', priority: 50 - index, requireLabels: [] },
      }),
    );
  }
  await new Tabs(page).miniApps.click();
  const miniApps = new MiniAppsRoute(page);
  await expect(miniApps.heading).toBeVisible();
  return miniApps;
}

/** The window that opens besides `known` ones, with its page loaded. */
async function openedView(app: DesktopApp, known: readonly Page[]): Promise<Page> {
  const view = await eventually('a window opens', () => app.windows().find((page) => !known.includes(page)));
  await expect(view.getByRole('heading', { name: 'Hostile' })).toBeVisible();
  // Its script stands below the heading.
  await view.waitForLoadState();
  return view;
}

/** The window of a mini-app named Wiki, which a site pretends to be. */
async function openWiki(app: DesktopApp, service: TestService, email: string, { origin }: HostileSite) {
  const link = `${origin}/`;
  const miniApps = await openMiniApps(app, service, email, [{ name: 'Wiki', type: 'webkit', link }]);
  await miniApps.tile('Wiki').click();
  return { miniApps, view: await openedView(app, [app.page]) };
}

if (isExhaustive)
  test('spec §2: /mini-apps in the desktop app: what the group offers, the highest priority first', async ({
    signedInHere: app,
    serviceHere,
    email,
  }) => {
    const site = await startHostileSite();
    const { origin } = site;
    await site[Symbol.asyncDispose]();
    const miniApps = await openMiniApps(app, serviceHere, email, [
      { name: 'News', type: 'browser', link: 'https://news.example/' },
      { name: 'Chat', type: 'native', link: 'https://chat.example/room' },
      { name: 'Gone', type: 'webkit', link: `${origin}/` },
    ]);
    await expect(miniApps.tiles).toHaveText([/^N?News/, /^C?Chat/, /^G?Gone/]);
    await test.step('browser and native links leave the app', async () => {
      await miniApps.tile('News').click();
      await miniApps.tile('Chat').click();
      await expect
        .poll(() => app.externalLinks())
        .toEqual(['https://news.example/', 'https://chat.example/room']);
      expect(app.windows()).toHaveLength(1);
    });

    await test.step('a mini-app that cannot be reached says so, and leaves no window', async () => {
      await miniApps.tile('Gone').click();
      await expect(miniApps.openFailed).toBeVisible();
      await expect.poll(() => app.windows().length).toBe(1);
    });
  });

test('a webkit mini-app that tries to reach the bridge, the parent, or another origin’s session gets nothing', async ({
  keptHere: app,
  serviceHere,
  email,
}) => {
  await arriveSignedIn(app.page, serviceHere, email);
  await using site = await startHostileSite();
  const miniApps = await openMiniApps(app, serviceHere, email, [
    { name: 'First', type: 'webkit', link: `${site.origin}/first` },
    { name: 'Second', type: 'webkit', link: `${site.origin}/second` },
  ]);
  await miniApps.tile('First').click();
  const first = await openedView(app, [app.page]);

  const reached = await first.evaluate(async (appOrigin) => {
    const around = globalThis as unknown as Record<string, unknown>;
    const permission = await navigator.permissions.query({ name: 'geolocation' });
    return {
      bridge: typeof around['waymakerHost'],
      node: [typeof around['require'], typeof around['process'], typeof around['module']],
      opener: window.opener as unknown,
      hasParent: window.parent !== window,
      geolocation: permission.state,
      appPage: await fetch(`${appOrigin}/index.html`).then(
        (response) => response.text(),
        () => 'not reached',
      ),
    };
  }, app.origin);
  expect(reached).toEqual({
    bridge: 'undefined',
    node: ['undefined', 'undefined', 'undefined'],
    opener: null,
    hasParent: false,
    geolocation: 'denied',
    appPage: 'not reached',
  });

  // Cookies and stored texts of one view are no other's, though both are of one origin.
  await miniApps.tile('Second').click();
  const second = await openedView(app, [app.page, first]);
  const before = (view: Page) =>
    view.evaluate(() => {
      const { cookieBefore, storedBefore } = globalThis as unknown as Record<string, unknown>;
      return { cookieBefore, storedBefore };
    });
  await first.reload();
  expect(await before(first), 'positive control: the view itself has them').toEqual({
    cookieBefore: 'visited=yes',
    storedBefore: 'yes',
  });
  expect(await before(second)).toEqual({ cookieBefore: '', storedBefore: null });
  expect(await app.page.evaluate(() => document.cookie)).toBe('');

  await new Tabs(app.page).account.click();
  await expect(new AccountRoute(app.page).heading).toBeVisible();
});

if (isExhaustive)
  test('a webkit mini-app opens in a window of its own, which names the host and cannot leave the web', async ({
    signedInHere: app,
    serviceHere,
    email,
  }) => {
    await using site = await startHostileSite();
    const { miniApps, view } = await openWiki(app, serviceHere, email, site);
    await test.step('the window names the host, and nothing that the page says', async () => {
      await expect(view).toHaveTitle('Waymaker – sign in');
      const { host } = new URL(site.origin);
      await expect.poll(() => app.windowTitles()).toContain(`${host} – Wiki`);
      expect(await app.windowTitles()).not.toContain('Waymaker – sign in');
      await app.page.reload();
      await expect(miniApps.heading).toBeVisible();
    });

    await test.step('the window cannot leave the web, and windows that it opens go to the browser', async () => {
      await view.evaluate(() => Object.assign(globalThis, { still: 'the same document' }));
      for (const target of [
        `${app.origin}/login`,
        'file:///etc/passwd',
        'mailto:x@example.com',
        'steam://run/1',
      ]) {
        await view.evaluate((url) => {
          window.location.href = url;
        }, target);
      }
      await view.evaluate(() => {
        window.open('https://elsewhere.example/');
        window.open('steam://run/1');
      });
      await expect.poll(() => app.externalLinks()).toEqual(['https://elsewhere.example/']);
      expect(view.url()).toBe(`${site.origin}/`);
      expect(await view.evaluate(() => (globalThis as unknown as { still: string }).still)).toBe(
        'the same document',
      );
      // It may go where the web goes.
      await view.evaluate(() => {
        window.location.href = '/next';
      });
      await expect.poll(() => site.asked).toContain('/next');
      await expect(view).toHaveURL(`${site.origin}/next`);
      expect(app.windows()).toHaveLength(2);
    });
  });

if (isExhaustive)
  test('signing out closes the windows of mini-apps, in which somebody may be signed in, too', async ({
    signedInHere: app,
    serviceHere,
    email,
  }) => {
    await using site = await startHostileSite();
    const { view } = await openWiki(app, serviceHere, email, site);
    await new Tabs(app.page).account.click();
    await new AccountRoute(app.page).signOut.click();
    await new LogoutRoute(app.page).confirm.click();
    await expect(new LoginRoute(app.page).heading).toBeVisible();
    await expect.poll(() => app.windows().length).toBe(1);
    expect(view.isClosed()).toBe(true);
  });
