import { readFile, stat } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { Page } from 'playwright/test';
import { preferences } from '#shared/host/preferences.ts';
import { addresses, names } from '../../lab/network/addresses.ts';
import { eventually, run } from '../../lab/runs/process.ts';
import { isExhaustive } from '../../lab/runs/thoroughness.ts';
import { waitLimit } from '../../lab/runs/wait-limit.ts';
import { expect, test, withoutRoot } from '../fixtures.ts';
import { LoginRoute } from '../routes/account/login-route.ts';
import { LogoutRoute } from '../routes/account/logout-route.ts';
import { ReportRoute } from '../routes/desktop/report-route.ts';
import { SettingsRoute } from '../routes/desktop/settings-route.ts';
import { askHost, untilDrawn } from '../support/host/ask-host.ts';
import type { DesktopApp } from '../support/host/desktop-app.ts';
import { expectSaid } from '../support/service/announcements.ts';
import { startHostileService } from '../support/service/hostile-service.ts';
import { openSettings } from '../support/screens/open-settings.ts';
import { texts } from '../support/screens/texts.ts';
import { arriveSignedIn, launchSignedIn } from '../support/tunnel/sign-in.ts';

const background = (page: Page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
const [light, dark] = ['rgb(245, 247, 245)', 'rgb(14, 20, 18)'];
/** What a phone's browser draws its own bar in: the first that the page names for now (HTML, "theme-color"). */
const barColour = (page: Page) =>
  page.evaluate(() => {
    const named = [...document.querySelectorAll<HTMLMetaElement>('meta[name="theme-color"]')];
    return named.find(({ media }) => matchMedia(media).matches)?.content;
  });
const [lightBar, darkBar] = ['#f5f7f5', '#0e1412'];

/** Chooses another language and the other colours, and finds them again. */
async function chooseLooks(page: Page): Promise<void> {
  const settings = await openSettings(page);
  expect(await background(page)).toBe(light);
  expect(await barColour(page)).toBe(lightBar);
  await settings.theme.selectOption('dark');
  await expect.poll(() => background(page)).toBe(dark);
  expect(await barColour(page)).toBe(darkBar);
  await settings.speech.selectOption('繁體中文');
  const again = new SettingsRoute(page, 'zh-hant');
  await expect(again.heading).toBeVisible();
  await expect(page.locator('html')).toHaveAttribute('lang', 'zh-Hant');
  await page.reload();
  await expect(again.heading).toBeVisible();
  await expect(again.theme).toHaveValue('dark');
  await expect.poll(() => background(page)).toBe(dark);
  const logout = new LogoutRoute(page, 'zh-hant');
  await logout.follow();
  await logout.confirm.click();
  await expect(new LoginRoute(page, 'zh-hant').heading).toBeVisible();
  expect(await background(page)).toBe(dark);
}

if (isExhaustive)
  test('in the web console there are language and colours alone, and they stay when the user signs out', async ({
    signedInConsole: page,
  }) => {
    const settings = await openSettings(page);
    await expect(settings.speech).toBeVisible();
    await expect(page.getByRole('switch')).toHaveCount(0);
    await expect(page.getByRole('radio')).toHaveCount(0);
    await chooseLooks(page);
  });

test('in the desktop app, problem reports and settings work as described, also where nothing can be logged', async ({
  // Without a helper, it logs from the start.
  keptHere: app,
  serviceHere,
  email,
  directory,
}) => {
  const { page, surroundings } = app;
  await arriveSignedIn(page, serviceHere, email);
  const before = preferences.parse(await askHost(page, 'preferences.get'));
  await test.step('a problem report is shown, saved as it was shown, and only then written a mail about', async () => {
    await expectReport(app, directory, email);
  });
  const settings = await openSettings(page);
  // It is not installed, so nothing would start it at login, nor open its links.
  await expect(settings.connectAtStart).toBeVisible();
  await expect(settings.openAtLogin).toHaveCount(0);
  expect((await surroundings?.protocolClients()) ?? []).toEqual([]);
  await test.step('each setting is explained on demand, and stays', async () => {
    const text = settings.says('settings.stayConnectedText');
    await expect(text).toBeHidden();
    await settings.explain(settings.stayConnected).click();
    await expect(text).toBeVisible();
    await settings.switchOn(settings.stayConnected);
    await settings.switchOff(settings.notifications);
    await page.reload();
    await expect(settings.stayConnected).toBeChecked();
    await expect(settings.notifications).not.toBeChecked();
  });
  await test.step('the licences of all parts are there', async () => {
    await settings.licences.click();
    await expect(page.getByText('react-router')).toBeVisible();
  });
  await test.step('language and colours hold at once, and stay when the user signs out', async () => {
    await chooseLooks(page);
  });
  const { language, theme, notifications, onQuit } = before;
  expect(await askHost(page, 'preferences.set', { language, theme, notifications, onQuit })).toEqual({
    ok: true,
  });
});

/** A report is shown, saved as it was shown, and only then written a mail about. */
async function expectReport(app: DesktopApp, directory: string, email: string): Promise<void> {
  const { page, surroundings } = app;
  if (!surroundings) return;
  await new SettingsRoute(page).follow();
  const report = new ReportRoute(page);
  await report.link.click();
  await expect(report.heading).toBeFocused();
  await expect(report.contents).toContainText('Log of the app');
  await expect(report.contents).toContainText('(the helper gives none)');
  const shown = (await report.contents.textContent()) ?? '';
  expect(shown).not.toContain(email);
  expect(shown.split(/\W/)).not.toContain(os.hostname());

  await report.description.fill('It does not connect.');
  const file = path.join(directory, 'report.txt');
  await report.save.click();
  await eventually('the app asks for a file', async () => (await surroundings.saveDialog()) ?? undefined);
  await expectSaid(page, texts.en['report.saved'], () => surroundings.chooseFile(file));
  expect(await readFile(file, 'utf8')).toBe(`== What happened ==\nIt does not connect.\n\n${shown}`);
  expect((await stat(file)).mode & 0o777).toBe(0o600);

  // Who thinks better of it sends nothing.
  const linksBefore = [...(await app.externalLinks())];
  await report.send.click();
  await eventually('the app asks for a file', async () => (await surroundings.saveDialog()) ?? undefined);
  await surroundings.chooseFile(null);
  await expect(report.send).toBeEnabled();
  expect(await app.externalLinks()).toEqual(linksBefore);
  await report.send.click();
  await eventually('the app asks for a file', async () => (await surroundings.saveDialog()) ?? undefined);
  await surroundings.chooseFile(file);
  const [link] = await eventually('a mail is written', async () => {
    const links = (await app.externalLinks()).slice(linksBefore.length);
    return links.length > 0 ? links : undefined;
  });
  expect(link).toContain('mailto:help@example.com?subject=Problem%20with%20Waymaker');
  expect(link).toContain(encodeURIComponent('It does not connect.'));
}

const releases = [
  ['a newer release', '0.2.0'],
  ['the release in use', '0.1.0'],
] as const;
if (isExhaustive)
  for (const [release, latest] of releases) {
    test(`a link to ${release} is ${latest === '0.1.0' ? 'not there' : 'beside the version'}`, async ({
      launchHere,
      serviceHere,
      email,
      directory,
    }) => {
      const info = (await (await fetch(`${serviceHere.apiUrl}/api/basic-info`)).json()) as {
        data: { links: object };
      };
      const links = { ...info.data.links, download_linux_url: 'https://downloads.example/waymaker' };
      await using service = await startHostileService(serviceHere.apiUrl, {
        '/api/basic-info': { data: { ...info.data, links, latestVersion: latest } },
      });
      const { page } = await launchSignedIn(launchHere, serviceHere, email, {
        env: { WAYMAKER_API_URL: service.apiUrl },
      });
      const settings = await openSettings(page);
      // What the service has answered is kept before it is shown.
      const kept = () => readFile(path.join(directory, 'app/page-storage.json'), 'utf8').catch(() => '');
      await expect.poll(kept).toContain('latestVersion');
      await untilDrawn(page);
      if (latest === '0.1.0') await expect(settings.download).toHaveCount(0);
      else {
        await expect(settings.download).toHaveText('Download 0.2.0');
        await expect(settings.download).toHaveAttribute('href', links.download_linux_url);
      }
    });
  }

test.describe('in the laboratory', () => {
  test.skip(withoutRoot, 'the laboratory needs root');

  if (isExhaustive)
    test('own DNS servers are asked through the tunnel, and ones that are wrong or cannot be kept are told', async ({
      connected: connect,
      lab,
      directory,
    }) => {
      const all = (pair: { ipv4: string; ipv6: string }) => Object.values(pair).toSorted();
      const resolved = () => lab.user.resolve(names.where);
      expect(await resolved(), 'the server’s own').toEqual(all(addresses.inside));
      await connect.inSettings(async (settings) => {
        const { ownDns } = settings;
        await ownDns.fill('dns.example');
        // Enter that chooses a suggestion of an input method, as Chromium tells it and as WebKit does.
        for (const told of [{ isComposing: true }, { keyCode: 229 }])
          await ownDns.dispatchEvent('keydown', { key: 'Enter', ...told });
        await expect(settings.says('settings.dnsInvalid')).toBeHidden();
        await ownDns.press('Enter');
        await expect(settings.says('settings.dnsInvalid')).toBeVisible();
        await expect(ownDns).toHaveAttribute('aria-invalid', 'true');
        expect(await resolved()).toEqual(all(addresses.inside));
        await ownDns.fill(`${addresses.resolver.ipv4}, ${addresses.resolver.ipv6}`);
        // As when the user goes on to something else.
        await settings.page.keyboard.press('Tab');
        await expect(settings.says('settings.dnsInvalid')).toBeHidden();
      });
      await expect.poll(resolved, { timeout: waitLimit(60_000) }).toEqual(all(addresses.direct));
      await expect(connect.status('connect.connected')).toBeVisible({ timeout: waitLimit(60_000) });
      const asked = (await lab.internet.queries()).filter(({ name }) => name === names.where);
      expect(asked.length).toBeGreaterThan(0);

      await connect.page.reload();
      const file = path.join(directory, 'app/settings.json');
      const kept = `${addresses.resolver.ipv4}, ${addresses.resolver.ipv6}`;
      await connect.inSettings(async (settings) => {
        const { ownDns } = settings;
        await expect(ownDns).toHaveValue(kept);
        // Not even root can replace it, but it can be read.
        await run(['chattr', '+i', file]);
        try {
          await ownDns.fill('');
          await expectSaid(settings.page, texts.en['error.storage'], () => ownDns.press('Enter'));
          await expect(ownDns).toHaveValue(kept);
        } finally {
          await run(['chattr', '-i', file]);
        }
      });
      expect(await resolved()).toEqual(all(addresses.direct));
    });
});
