import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Browser, Page } from 'playwright/test';
import { connectivityProbe } from '../../../src/shared/constants.ts';
import { isExhaustive } from '../../lab/runs/thoroughness.ts';
import { LoginRoute } from '../routes/login-route.ts';
import { answerProbes, loseNetwork, loseProbes } from '../support/tunnel/probe-pages.ts';
import { builtRenderer } from '../support/host/paths.ts';
import { serveConsole } from '../support/service/serve-console.ts';
import type { TestService } from '../support/service/service.ts';
import { texts } from '../support/screens/texts.ts';
import { openConsole } from '../support/service/web-console.ts';
import { withoutEvents } from '../support/service/without-events.ts';
import { expect, test } from '../webview/webview-fixtures.ts';

const notice = (page: Page) => page.getByRole('status').getByText(texts.en['offline.text']);

/** Test pages that the page asked for so far. */
function countProbes(page: Page): () => number {
  let asked = 0;
  page.on('request', (request) => {
    if (connectivityProbe.pages.some((probe) => probe === request.url())) asked += 1;
  });
  return () => asked;
}

/** The console with a clock that the test moves, and a count of what it probes. */
async function openWithClock(browser: Browser, service: TestService) {
  const page = await openConsole(browser, service);
  const probes = countProbes(page);
  await page.clock.install();
  await new LoginRoute(page).open();
  await expect(new LoginRoute(page).heading).toBeVisible();
  // Until the service has named the test pages, there is nothing to probe.
  await expect.poll(() => page.evaluate(() => localStorage.getItem('basicInfo') !== null)).toBe(true);
  return { page, probes };
}

/** What the desktop app keeps over restarts. */
const settingsOf = (directory: string) =>
  readFile(path.join(directory, 'app/settings.json'), 'utf8').catch(() => '');

test.describe('spec §4: network reachability', () => {
  test('is probed every 30 s with two test pages while somebody sees the page; an offline notice comes and goes; a page that does not answer within 5 s is not reachable, and an answered call counts', async ({
    browserHere,
    serviceHere,
  }) => {
    const { page, probes } = await openWithClock(browserHere, serviceHere);
    const see = (state: 'hidden' | 'visible') =>
      page.evaluate((now) => {
        Object.defineProperty(document, 'visibilityState', { value: now, configurable: true });
        document.dispatchEvent(new Event('visibilitychange'));
      }, state);
    await see('hidden');
    await page.clock.runFor(95_000);
    expect(probes()).toBe(0);
    await see('visible');
    await expect.poll(probes).toBe(2);
    await page.clock.runFor(31_000);
    await expect.poll(probes).toBe(4);
    await expect(notice(page)).toBeHidden();

    const recover = await loseNetwork(page, 'refused');
    await page.clock.runFor(30_000);
    await expect.poll(probes).toBe(6);
    await expect(notice(page)).toBeVisible();
    await recover();
    const recoverProbes = await loseProbes(page, 'refused');
    await page.clock.runFor(30_000);
    await expect.poll(probes).toBe(8);
    await expect(notice(page), 'an answered call').toBeHidden();
    await recoverProbes();
    // No probe leaves its frames behind.
    await expect(page.locator('object')).toHaveCount(0);

    await loseNetwork(page, 'silent');
    await page.clock.runFor(30_000);
    await expect.poll(probes).toBe(10);
    await expect(page.locator('object')).toHaveCount(2);
    await expect(notice(page)).toBeHidden();
    await page.clock.runFor(5000);
    await expect(notice(page)).toBeVisible();
    await expect(page.locator('object')).toHaveCount(0);
  });

  test('is probed at once when the browser says that it went offline or online', async ({
    openedConsole: page,
  }) => {
    await expect(new LoginRoute(page).heading).toBeVisible();
    const recover = await loseNetwork(page, 'refused');
    await page.context().setOffline(true);
    await expect(notice(page)).toBeVisible();
    await recover();
    await page.context().setOffline(false);
    await expect(notice(page)).toBeHidden();
  });

  if (isExhaustive)
    test('a page that is opened offline says so at once', async ({ browserHere, serviceHere }) => {
      const page = await openConsole(browserHere, serviceHere);
      await loseNetwork(page, 'refused');
      await page.addInitScript(() =>
        Object.defineProperty(Navigator.prototype, 'onLine', { get: () => false }),
      );
      await page.clock.install();
      await new LoginRoute(page).open();
      await expect(notice(page)).toBeVisible();
    });

  if (isExhaustive)
    test('neither blocked traffic nor a captive portal counts as offline, nor what was probed before; a tunnel counts as online', async ({
      signInInApp,
    }) => {
      const { app, page } = await signInInApp('android');
      // What is still on its way would be answered later.
      await withoutEvents(page.context());
      await page.reload();
      await page.waitForLoadState('networkidle');
      const recover = await loseNetwork(page, 'refused');
      const explained = [
        { reason: 'captive-portal' },
        { reason: 'gateway-unreachable', blocked: true },
      ] as const;
      for (const state of explained) {
        app.become({ state: 'disconnected' });
        // The page may not have heard of it yet.
        await expect(async () => {
          await page.evaluate(() => dispatchEvent(new Event('offline')));
          await expect(notice(page)).toBeVisible({ timeout: 1000 });
        }).toPass();
        app.become({ state: 'disconnected', ...state });
        await expect(notice(page)).toBeHidden();
      }
      await recover();
      app.become({ state: 'disconnected' });
      await expect(notice(page)).toBeHidden();

      await loseNetwork(page, 'refused');
      await page.evaluate(() => dispatchEvent(new Event('offline')));
      await expect(notice(page)).toBeVisible();
      app.become({
        state: 'connected',
        gateway: { host: 'gw.example.net', port: 443 },
        since: Date.now(),
        addresses: { ipv4: '198.51.100.7' },
        transport: 'tls',
        routing: { mode: 'global', localNetwork: true },
      });
      await expect(notice(page)).toBeHidden();
    });

  if (isExhaustive)
    test('the operator names the test pages, and the console loads no others', async ({ browserHere }) => {
      const own = ['https://probe.operator.example/a', 'https://probe.operator.example/b'];
      await using served = await serveConsole(builtRenderer, { WAYMAKER_PROBE_PAGES: own.join(' ') });
      const context = await browserHere.newContext();
      await answerProbes(context);
      await context.route('https://probe.operator.example/*', (route) =>
        route.fulfill({ contentType: 'text/html', body: 'Success' }),
      );
      const page = await context.newPage();
      const framed: string[] = [];
      page.on('request', (request) => {
        if (!request.url().startsWith(served.url)) framed.push(request.url());
      });
      await page.clock.install();
      await page.goto(`${served.url}/login`);
      await expect(new LoginRoute(page).heading).toBeVisible();
      await expect.poll(() => page.evaluate(() => localStorage.getItem('basicInfo') !== null)).toBe(true);
      await page.clock.runFor(31_000);
      await expect.poll(() => framed.toSorted()).toEqual(own);
      await page.unroute('https://probe.operator.example/*');
    });

  if (isExhaustive)
    test('the desktop lets the test pages into hidden frames, and no others', async ({
      launchHere,
      directory,
    }) => {
      // What the service names is known, and let in, from the next start on.
      const first = await launchHere();
      await expect(new LoginRoute(first.page).heading).toBeVisible();
      await expect.poll(() => settingsOf(directory)).toContain(connectivityProbe.pages[0]);
      await first.quit();
      const { page } = await launchHere();
      await expect(new LoginRoute(page).heading).toBeVisible();
      const framed = (url: string) =>
        page.evaluate(
          (data) =>
            new Promise<string>((resolve) => {
              const frame = document.createElement('object');
              frame.addEventListener('load', () => resolve('load'), { once: true });
              frame.addEventListener('error', () => resolve('error'), { once: true });
              Object.assign(frame, { type: 'text/html', data });
              document.body.append(frame);
            }),
          url,
        );
      for (const probe of connectivityProbe.pages) expect(await framed(probe), probe).toBe('load');
      expect(await framed('https://elsewhere.example/')).toBe('error');
    });
});
