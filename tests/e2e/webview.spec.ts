import { AxeBuilder } from '@axe-core/playwright';
import type { Browser, Page } from 'playwright/test';
import { createApiClient } from '../../src/shared/api/client.ts';
import { expect, test } from './fixtures.ts';
import { AccountRoute } from './routes/account-route.ts';
import { ConformanceRoute } from './routes/conformance-route.ts';
import { ConnectRoute } from './routes/connect-route.ts';
import { LoginRoute } from './routes/login-route.ts';
import { LogoutRoute } from './routes/logout-route.ts';
import { MiniAppsRoute } from './routes/mini-apps-route.ts';
import { Tabs } from './routes/tabs.ts';
import { names } from '../lab/addresses.ts';
import { must } from './support/api-user.ts';
import { connectTo } from './support/connect.ts';
import { routed } from './support/route-lists.ts';
import type { TestService } from './support/service.ts';
import { signIn } from './support/sign-in.ts';
import { texts } from './support/texts.ts';
import { launchBrowser } from './support/web-console.ts';
import { deliverToPage, openWebview, type WebviewOptions } from './webview/open-webview.ts';
import { createWebviewApp, type Platform, type WebviewApp } from './webview/webview-app.ts';

let browser: Browser;
test.beforeAll(async () => {
  browser = await launchBrowser();
});
test.afterAll(() => browser.close());
test.afterEach(() => Promise.all(browser.contexts().map((context) => context.close())));

async function open(
  service: TestService,
  platform: Platform,
  options: Partial<WebviewOptions> = {},
): Promise<{ app: WebviewApp; page: Page }> {
  const app = options.app ?? createWebviewApp(platform);
  const page = await openWebview(browser, { platform, url: `${service.consoleUrl}/`, ...options, app });
  return { app, page };
}

for (const platform of ['android', 'ios'] as const) {
  test.describe(`in a webview on ${platform}`, () => {
    test('sign-in, connect and disconnect go over the bridge; the session is kept in the app’s storage', async ({
      serviceHere,
      email,
    }) => {
      const { app, page } = await open(serviceHere, platform);
      await signIn(page, serviceHere, email);
      const [deviceId, token] = [app.storage.get('deviceId'), app.storage.get('token')];
      expect(token?.length).toBeGreaterThan(20);
      expect(
        await page.evaluate(() =>
          JSON.stringify([Object.entries(localStorage), Object.entries(sessionStorage)]),
        ),
      ).not.toContain(token);

      const connect = await connectTo(page);
      const address = `anyconnect://${names.gateway}:443`;
      expect(app.connects).toEqual([{ address, username: deviceId, password: token }]);
      await expect(connect.says('connect.protected')).toBeVisible();
      await connect.disconnect.click();
      await expect(connect.status('connect.disconnected')).toBeVisible();
      expect(app.state()).toEqual({ state: 'disconnected' });

      const next = await open(serviceHere, platform, { app });
      await expect(new AccountRoute(next.page).heading).toBeVisible();
    });

    test('what the app does by itself is shown, with its reason', async ({ serviceHere, email }) => {
      const { app, page } = await open(serviceHere, platform);
      await signIn(page, serviceHere, email);
      const connect = await connectTo(page);
      app.become({ state: 'disconnected', reason: 'session-ended' });
      await expect(connect.says('reason.sessionEnded')).toBeVisible();
    });

    test('signing out leaves the app neither token nor tunnel', async ({ serviceHere, email }) => {
      const { app, page } = await open(serviceHere, platform);
      await signIn(page, serviceHere, email);
      await connectTo(page);
      await new Tabs(page).account.click();
      await new AccountRoute(page).signOut.click();
      await new LogoutRoute(page).confirm.click();
      await expect(new LoginRoute(page).heading).toBeVisible();
      await expect.poll(() => app.storage.has('deviceId')).toBe(true);
      // What the login page loads again is about nobody.
      const kept = [...app.storage.keys()].filter((key) => !/^(translations:|basicInfo$)/.test(key));
      expect(kept).toEqual(['deviceId']);
      expect(app.state()).toEqual({ state: 'disconnected' });
    });

    test('mini-apps open over the bridge by their type; browser links leave the app', async ({
      serviceHere,
      email,
    }) => {
      const { app, page } = await open(serviceHere, platform);
      await signIn(page, serviceHere, email);
      await new Tabs(page).miniApps.click();
      const miniApps = new MiniAppsRoute(page);
      await expect(miniApps.empty).toBeVisible();

      const links = {
        browser: 'https://news.example/',
        webkit: 'https://wiki.example/',
        native: 'https://chat.example/',
      };
      await createApps(serviceHere, app, links);
      await page.reload();
      for (const name of Object.keys(links)) await miniApps.tile(`The ${name} app`).click();
      await expect
        .poll(() => app.opened)
        .toEqual(Object.entries(links).map(([type, link]) => `${type} ${link}`));
      await expect(miniApps.openFailed).toBeHidden();
    });
  });
}

async function createApps(
  service: TestService,
  app: WebviewApp,
  links: Record<string, string>,
): Promise<void> {
  const client = createApiClient({
    baseUrl: service.consoleUrl,
    fetch: (url, request) => fetch(url, request),
    deviceName: 'Test',
    session: () => ({ deviceId: app.storage.get('deviceId') ?? '', token: app.storage.get('token') }),
    endSession: async () => undefined,
  });
  for (const type of ['browser', 'webkit', 'native'] as const) {
    const body = {
      name: `The ${type} app`,
      type,
      link: links[type] ?? '',
      icon: '',
      priority: 5,
      requireLabels: [],
    };
    must(await client.call('createApp', { body }));
  }
}

test.describe('spec §4, route mode: global by default', () => {
  test('with automatic routing Android uses app mode: the installed apps that the service names', async ({
    serviceHere,
    email,
  }) => {
    const { app, page } = await open(serviceHere, 'android');
    await signIn(page, serviceHere, email);
    await new Tabs(page).connect.click();
    const connect = new ConnectRoute(page);
    await expect(connect.global).toBeChecked();
    await connect.automatic.check();
    await expect.poll(() => app.routing()).toEqual({ mode: 'app', routeApps: routed.apps.slice(0, 2) });
    await page.reload();
    await expect(connect.automatic).toBeChecked();
    await connect.global.check();
    await expect.poll(() => app.routing()).toEqual({ mode: 'global' });
  });

  test('with automatic routing iOS uses ip mode: the CN list', async ({ serviceHere, email }) => {
    const { app, page } = await open(serviceHere, 'ios');
    await signIn(page, serviceHere, email);
    await new Tabs(page).connect.click();
    await new ConnectRoute(page).automatic.check();
    await expect.poll(() => app.routing()).toEqual({ mode: 'ip', routeIps: routed.prefixes });
  });

  test("'failed to get PAC config' where routing goes by PAC and the service cannot be reached", async ({
    serviceHere,
    email,
  }) => {
    const app = createWebviewApp('android');
    app.routingModes = ['global', 'pac'];
    const { page } = await open(serviceHere, 'android', { app });
    await signIn(page, serviceHere, email);
    await new Tabs(page).connect.click();
    const connect = new ConnectRoute(page);
    await page.route('**/api/route/pac', (route) => route.abort());
    // Not `check`, which insists on a choice that stays.
    await connect.automatic.click();
    await expect(connect.says('error.pac')).toBeVisible();
    await expect(connect.global).toBeChecked();
    await page.unroute('**/api/route/pac');
    await connect.automatic.check();
    const { domains: routeDomains, blockedDomains } = routed;
    await expect.poll(() => app.routing()).toEqual({ mode: 'pac', pac: { routeDomains, blockedDomains } });
  });

  test("'setting route failed' when the app cannot, and the choice stays what it was", async ({
    serviceHere,
    email,
  }) => {
    const { app, page } = await open(serviceHere, 'ios');
    await signIn(page, serviceHere, email);
    await new Tabs(page).connect.click();
    const connect = new ConnectRoute(page);
    app.routingFails = true;
    await connect.automatic.click();
    await expect(connect.says('error.routing')).toBeVisible();
    await expect(connect.global).toBeChecked();
    expect(app.routing()).toEqual({ mode: 'global' });
  });
});

test.describe('hostile content in a webview', () => {
  test('messages of other frames and windows, and words that are no state, change nothing', async ({
    serviceHere,
    email,
  }) => {
    const { app, page } = await open(serviceHere, 'android');
    await signIn(page, serviceHere, email);
    const connect = await connectTo(page);
    const forged = JSON.stringify({
      jsonrpc: '2.0',
      method: 'tunnel.stateChanged',
      params: [{ state: 'disconnected', reason: 'engine-failed' }],
    });
    await page.evaluate((text) => {
      // As from another window, from a frame of the same origin, and from one of none.
      window.postMessage(text, '*');
      window.postMessage(JSON.parse(text), '*');
      const frame = document.createElement('iframe');
      document.body.append(frame);
      (frame.contentWindow as unknown as { parent: Window }).parent.postMessage(text, '*');
      window.dispatchEvent(new MessageEvent('message', { data: text, origin: 'https://evil.example' }));
    }, forged);
    const nonsense = [
      { state: 'connected', gateway: { host: '<img src=x onerror=alert(1)>', port: 443 } },
      { state: 'up' },
      null,
      'disconnected',
    ];
    for (const payload of nonsense) {
      await deliverToPage(
        page,
        JSON.stringify({ jsonrpc: '2.0', method: 'tunnel.stateChanged', params: [payload] }),
      );
    }
    await expect(connect.status('connect.connected')).toBeVisible();
    // The same words from the app itself are heard: the page does listen.
    await deliverToPage(page, forged);
    await expect(connect.says('reason.engineFailed')).toBeVisible();
    expect(app.state().state).toBe('connected');
  });

  test('an app that answers nonsense gets a page that says so, not an empty one', async ({ serviceHere }) => {
    const { page } = await open(serviceHere, 'android', {
      answer: () => async (text) =>
        JSON.stringify({ jsonrpc: '2.0', id: JSON.parse(text).id, result: '<script>' }),
    });
    await expect(page.getByRole('heading', { name: texts.en['crash.title'] })).toBeVisible();
  });

  test('links of mini-apps that run, show files or carry credentials are not even handed to the app', async ({
    serviceHere,
    email,
  }) => {
    const { app, page } = await open(serviceHere, 'android');
    await signIn(page, serviceHere, email);
    const links = [
      'javascript:alert(1)',
      'file:///etc/passwd',
      'intent://x#Intent;end',
      'https://a:b@evil.example/',
    ];
    const items = links.flatMap((link, index) =>
      (['browser', 'webkit', 'native'] as const).map((type) => ({
        id: `${type}-${index}`,
        name: `<img src=x onerror=alert(1)> ${type} ${index}`,
        type,
        link,
        icon: 'https://evil.example/pixel.png',
        priority: 1,
        requireLabels: [],
      })),
    );
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    page.on('dialog', () => asked.push('dialog'));
    await page.route('**/api/my-apps', (route) =>
      route.fulfill({ json: { code: 0, msg: '', data: { items } } }),
    );
    await new Tabs(page).miniApps.click();
    const miniApps = new MiniAppsRoute(page);
    await expect(miniApps.tiles).toHaveCount(items.length);
    for (const { name } of items) {
      await miniApps.tile(name).click();
      const refused = page.getByText(texts.en['miniApps.openFailed'].replace('{{name}}', name));
      await expect(refused).toBeVisible();
    }
    expect(app.opened).toEqual([]);
    expect(asked.filter((url) => /evil|dialog/.test(url))).toEqual([]);
    expect(await page.locator('img').count()).toBe(0);
  });

  test('a list that cannot be loaded says so, and can be loaded again', async ({ serviceHere, email }) => {
    const { page } = await open(serviceHere, 'ios');
    await signIn(page, serviceHere, email);
    await page.route('**/api/my-apps', (route) => route.abort());
    await new Tabs(page).miniApps.click();
    const miniApps = new MiniAppsRoute(page);
    await expect(miniApps.retry).toBeVisible();
    await page.unroute('**/api/my-apps');
    await miniApps.retry.click();
    await expect(miniApps.empty).toBeVisible();
  });
});

for (const dark of [false, true]) {
  test(`mini-apps, routing and conformance pass axe, in ${dark ? 'dark' : 'light'}`, async ({
    serviceHere,
    email,
  }) => {
    const { app, page } = await open(serviceHere, 'android', { dark });
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await signIn(page, serviceHere, email);
    await createApps(serviceHere, app, {
      browser: 'https://news.example/',
      webkit: 'https://wiki.example/',
      native: 'https://chat.example/',
    });
    await new Tabs(page).miniApps.click();
    await expect(new MiniAppsRoute(page).tiles).toHaveCount(3);
    await expectNoViolations(page);
    await new Tabs(page).connect.click();
    await expect(new ConnectRoute(page).global).toBeChecked();
    await expectNoViolations(page);
    const conformance = new ConformanceRoute(page);
    await conformance.open();
    await expect(conformance.summary).toBeVisible({ timeout: 60_000 });
    await expectNoViolations(page);
  });
}

async function expectNoViolations(page: Page): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)).toEqual([]);
}

test('spec §2: /mini-apps and /vpn redirect to / outside the apps', async ({ serviceHere, email }) => {
  const page = await browser.newPage();
  await page.goto(serviceHere.consoleUrl);
  await signIn(page, serviceHere, email);
  for (const route of [new MiniAppsRoute(page), new ConnectRoute(page)]) {
    await route.open();
    await expect(new AccountRoute(page).heading).toBeVisible();
    await expect(page).toHaveURL(/\/dashboard$/);
  }
});
