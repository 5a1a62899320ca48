import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Page } from 'playwright/test';
import { connectivityProbe } from '../../../src/shared/constants.ts';
import { LoginRoute } from '../routes/account/login-route.ts';
import { answerProbes, loseNetwork } from '../support/tunnel/probe-pages.ts';
import { pauseClock, tickUntil } from '../support/host/tick-until.ts';
import { builtRenderer } from '../support/host/paths.ts';
import { serveConsole } from '../support/service/serve-console.ts';
import { texts } from '../support/screens/texts.ts';
import { openConsole } from '../support/service/web-console.ts';
import { withoutEvents } from '../support/service/without-events.ts';
import { expect, test } from '../webview/webview-fixtures.ts';

const notice = (page: Page) => page.getByRole('status').getByText(texts.en['offline.text']);

/** What the desktop app keeps over restarts. */
const settingsOf = (directory: string) =>
  readFile(path.join(directory, 'app/settings.json'), 'utf8').catch(() => '');

test.describe('spec §4: network reachability', () => {
  test('a page that is opened offline says so at once', async ({ browserHere, serviceHere }) => {
    const page = await openConsole(browserHere, serviceHere);
    await loseNetwork(page, 'refused');
    await page.addInitScript(() =>
      Object.defineProperty(Navigator.prototype, 'onLine', { get: () => false }),
    );
    await page.clock.install();
    // The page does not come to when it looks by itself.
    await pauseClock(page);
    await new LoginRoute(page).open();
    await tickUntil(page, () => expect(notice(page)).toBeVisible({ timeout: 1000 }));
  });

  test('neither blocked traffic, a captive portal nor an earlier probe counts as offline, but a tunnel as online', async ({
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
