import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { BrowserContext, Page } from 'playwright/test';
import { AboutRoute } from '../routes/frame/about-route.ts';
import { LoginRoute } from '../routes/account/login-route.ts';
import { LogoutRoute } from '../routes/account/logout-route.ts';
import { Tabs } from '../routes/frame/tabs.ts';
import { openConnectTab } from '../support/tunnel/connect.ts';
import { nextVersion, version, writeNextBuild } from '../support/service/console-builds.ts';
import { builtRenderer } from '../support/host/paths.ts';
import { serveConsole } from '../support/service/serve-console.ts';
import { serverNames } from '../support/service/service.ts';
import { texts } from '../support/screens/texts.ts';
import { startApp } from '../webview/open-webview.ts';
import { expect, test } from '../webview/webview-fixtures.ts';
import { freePort } from '../../unit/main/support/free-port.ts';
import { isExhaustive } from '../../lab/runs/thoroughness.ts';

/** What the browser has kept of the console: by build the addresses of its files. */
function kept(page: Page): Promise<Record<string, string[]>> {
  return page.evaluate(async () => {
    const files = async (name: string) => {
      const requests = await (await caches.open(name)).keys();
      return [name, requests.map(({ url }) => new URL(url).pathname)] as const;
    };
    return Object.fromEntries(await Promise.all((await caches.keys()).map(files)));
  });
}

/** Resolves when a worker answers for this page, and it has kept a build. */
async function expectKept(page: Page): Promise<void> {
  const isControlled = () => page.evaluate(() => navigator.serviceWorker.controller !== null);
  await expect.poll(isControlled).toBe(true);
}

/** Makes pages note whether they show anything yet when they register the service worker. */
const noteFirstPage = (context: BrowserContext) =>
  context.addInitScript(() => {
    if (!('serviceWorker' in navigator)) return;
    const { serviceWorker } = navigator;
    const register = serviceWorker.register.bind(serviceWorker);
    serviceWorker.register = (...args) => {
      document.documentElement.dataset['keptWith'] = document.querySelector('h1') ? 'page' : 'nothing';
      return register(...args);
    };
  });

/**
 * Makes this page note that another worker answers for it. No page must be opened meanwhile: a browser leaves the old
 * worker, as long as that has something to do, for five minutes (Chromium's `kMaxLameDuckTime`).
 */
const noteNewWorker = (page: Page) =>
  page.evaluate(() =>
    navigator.serviceWorker.addEventListener('controllerchange', () => {
      document.documentElement.dataset['worker'] = 'new';
    }),
  );

const versionAt = (page: Page) => new LoginRoute(page).version;

async function openLogin(context: BrowserContext, url: string): Promise<Page> {
  const page = await context.newPage();
  await page.goto(`${url}/login`);
  return page;
}

test('an app that is started without a network has its connect tab, and connects', async ({
  signInInApp,
  serviceHere,
}) => {
  const { app, page: first } = await signInInApp('android', { hasServiceWorkers: true });
  const connect = await openConnectTab(first);
  await connect.choose(serverNames.first);
  await expect.poll(() => app.storage.has('gatewayLogins')).toBe(true);
  await expectKept(first);
  const files = Object.values(await kept(first)).flat();
  expect(files).toContain('/index.html');
  expect(files.filter((file) => file !== '/index.html' && !file.startsWith('/assets/'))).toEqual([]);
  const context = first.context();
  await first.close();

  await serviceHere.stop();
  await context.setOffline(true);
  try {
    const page = await startApp(context, { platform: 'android', url: `${serviceHere.consoleUrl}/`, app });
    await expect(page.getByRole('status').getByText(texts.en['offline.text'])).toBeVisible();
    const offline = await openConnectTab(page);
    await expect(offline.chosen(serverNames.first)).toBeVisible();
    await offline.connect.click();
    await expect(offline.status('connect.connected')).toBeVisible();
    expect(app.connects.at(-1)?.login?.password.length).toBeGreaterThan(10);
    expect(app.allowedUntil()).toMatchObject({ reason: 'trial-ended' });

    // Nothing of the account stays when its user signs out.
    await new LogoutRoute(page).open();
    await new LogoutRoute(page).confirm.click();
    await expect(new LoginRoute(page).heading).toBeVisible();
    await expect.poll(() => [...app.storage.keys()].filter((key) => key !== 'deviceId')).toEqual([]);
    expect(
      Object.values(await kept(page))
        .flat()
        .toSorted(),
    ).toEqual(files.toSorted());
    await expect(new Tabs(page).connect).toBeHidden();
  } finally {
    await context.setOffline(false);
    await serviceHere.start();
  }
});

if (isExhaustive)
  test('a first load fetches nothing twice, and a new build serves what is opened next and not open pages', async ({
    browserHere,
    directory,
  }) => {
    const next = path.join(directory, 'next');
    await mkdir(next);
    await writeNextBuild(next);
    const context = await browserHere.newContext({ serviceWorkers: 'allow' });
    await noteFirstPage(context);
    const port = String(await freePort());
    let old: Page;
    {
      await using served = await serveConsole(builtRenderer, { WAYMAKER_SERVICE_PORT: port });
      old = await openLogin(context, served.url);
      await expect(versionAt(old)).toHaveText(new RegExp(version));
      await expectKept(old);
      await expect(old.locator('html')).toHaveAttribute('data-kept-with', 'page');
      const files = served.asked.filter((address) => address.startsWith('/assets/'));
      expect(files.length).toBeGreaterThan(50);
      expect(files.toSorted()).toEqual([...new Set(files)].toSorted());
    }
    {
      await using served = await serveConsole(next, { WAYMAKER_SERVICE_PORT: port });
      // Opened before the new build is there. Browsers look for it by themselves, but half a minute later.
      const second = await openLogin(context, served.url);
      await expect(versionAt(second)).toHaveText(new RegExp(version));
      await noteNewWorker(second);
      await expect(async () => {
        // What could not be fetched completely is fetched again when somebody looks again.
        await second.evaluate(async () => void (await navigator.serviceWorker.getRegistration())?.update());
        await expect(second.locator('html')).toHaveAttribute('data-worker', 'new', { timeout: 1000 });
      }).toPass();
      expect(Object.keys(await kept(second))).toHaveLength(2);
      const third = await openLogin(context, served.url);
      await expect(versionAt(third)).toHaveText(new RegExp(nextVersion));
      // A page that was not loaded yet, of a build that is nowhere else any more.
      await new AboutRoute(old).follow();
      await expect(new AboutRoute(old).heading).toBeVisible();
      await new LoginRoute(old).follow();
      await expect(versionAt(old)).toHaveText(new RegExp(version));
      await Promise.all(context.pages().map((page) => page.close()));
      const alone = await openLogin(context, served.url);
      await expect(versionAt(alone)).toHaveText(new RegExp(nextVersion));
      await expect.poll(async () => Object.keys(await kept(alone)).length).toBe(1);
      await context.setOffline(true);
      await alone.reload();
      await expect(versionAt(alone)).toHaveText(new RegExp(nextVersion));
    }
    await context.close();
  });

/** Runs before the worker's own code: from a message on, the browser's storage fails, as it does when it is damaged. */
const failingStorage = `
  let fails = false;
  for (const name of ['open', 'match']) {
    const original = caches[name].bind(caches);
    caches[name] = (...all) =>
      fails ? Promise.reject(new DOMException('Unexpected internal error.', 'UnknownError')) : original(...all);
  }
  addEventListener('message', ({ ports }) => {
    fails = true;
    ports[0].postMessage('fails');
  });
`;

if (isExhaustive)
  test('the console opens where its stored build was deleted, or cannot be read, and is stored again', async ({
    browserHere,
    directory,
  }) => {
    const built = path.join(directory, 'failing');
    await cp(builtRenderer, built, { recursive: true });
    await Promise.all(['.br', '.gz'].map((ending) => rm(path.join(built, `service-worker.js${ending}`))));
    const worker = path.join(built, 'service-worker.js');
    await writeFile(worker, failingStorage + (await readFile(worker, 'utf8')));
    const context = await browserHere.newContext({ serviceWorkers: 'allow' });
    await using served = await serveConsole(built);
    const page = await openLogin(context, served.url);
    const login = new LoginRoute(page);
    await expectKept(page);
    const files = async () =>
      Object.values(await kept(page))
        .flat()
        .toSorted();
    const all = await files();
    expect(all).toContain('/index.html');

    await page.evaluate(async () => {
      for (const name of await caches.keys()) await caches.delete(name);
    });
    expect(await files()).toEqual([]);
    await page.reload();
    await expect(login.heading).toBeVisible();
    await expect.poll(files).toEqual(all);
    await context.setOffline(true);
    await page.reload();
    await expect(login.heading).toBeVisible();
    await context.setOffline(false);

    await page.evaluate(async () => {
      const { port1, port2 } = new MessageChannel();
      const answered = new Promise((resolve) => port1.addEventListener('message', resolve));
      port1.start();
      navigator.serviceWorker.controller?.postMessage('fail', [port2]);
      await answered;
    });
    await page.reload();
    await expect(login.heading).toBeVisible();
    await context.close();
  });

if (isExhaustive)
  test('the service ends a broken worker, and the console works again', async ({
    browserHere,
    directory,
  }) => {
    const broken = path.join(directory, 'broken');
    await cp(builtRenderer, broken, { recursive: true });
    await Promise.all(['.br', '.gz'].map((ending) => rm(path.join(broken, `service-worker.js${ending}`))));
    await writeFile(
      path.join(broken, 'service-worker.js'),
      `addEventListener('install', () => skipWaiting());
     addEventListener('activate', (event) => event.waitUntil(clients.claim()));
     addEventListener('fetch', (event) => event.respondWith(new Response('broken')));`,
    );
    const context = await browserHere.newContext({ serviceWorkers: 'allow' });
    const port = String(await freePort());
    let page: Page;
    {
      await using served = await serveConsole(broken, { WAYMAKER_SERVICE_PORT: port });
      page = await openLogin(context, served.url);
      await expectKept(page);
      await page.reload();
      await expect(page.getByText('broken')).toBeVisible();
    }
    {
      await using served = await serveConsole(broken, {
        WAYMAKER_SERVICE_PORT: port,
        WAYMAKER_CONSOLE_OFFLINE: '0',
      });
      await page.goto(`${served.url}/login`);
      await expect(new LoginRoute(page).heading).toBeVisible();
      const registrations = () =>
        page.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).length);
      await expect.poll(registrations).toBe(0);
      expect(await kept(page)).toEqual({});
      // And it stays so.
      await page.reload();
      await expect(new LoginRoute(page).heading).toBeVisible();
      await expect.poll(registrations).toBe(0);
    }
    await context.close();
  });
