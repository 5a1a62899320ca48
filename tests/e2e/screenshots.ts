import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { Page } from 'playwright';
import { expect } from 'playwright/test';
import type { Seed } from '../../src/service/seed.ts';
import { names } from '../lab/addresses.ts';
import { createLab } from '../lab/lab.ts';
import { ConnectRoute } from './routes/connect-route.ts';
import { LoginRoute } from './routes/login-route.ts';
import { VerifyRoute } from './routes/verify-route.ts';
import { connectTo } from './support/connect.ts';
import { fillAccount } from './support/filled-account.ts';
import { prepareHelper } from './support/helper.ts';
import { startKeyring } from './support/keyring.ts';
import { launchDesktopApp } from './support/launch-desktop-app.ts';
import { root } from './support/paths.ts';
import { desktopScreens, publicScreens, webScreens, type Screen } from './support/screens.ts';
import { plan, serverNames, startService } from './support/service.ts';
import { signIn } from './support/sign-in.ts';
import { languages, languageTags, type TextLanguage } from './support/texts.ts';
import { launchBrowser, openConsole } from './support/web-console.ts';

/**
 * `npm run screenshots [-- LANGUAGE…]`: every screen of the built app and of the web console as PNG files in
 * out/screenshots, in light and dark, at desktop and phone width. Needs root, for the laboratory.
 */
const sizes = { desktop: { width: 1200, height: 800 }, phone: { width: 390, height: 844 } };
const folder = path.join(root, 'out/screenshots');

/** Servers for who has a plan, as the account in the pictures does. */
const offers: Seed = {
  serverGroups: [
    {
      id: 'family',
      name: plan.name,
      isTrial: false,
      items: [
        {
          id: 'family-all',
          level: 2,
          servers: [
            { serverId: 'first', name: serverNames.first, domain: names.gateway },
            { serverId: 'second', name: serverNames.untrusted, domain: names.untrustedGateway },
          ],
        },
      ],
    },
  ],
};

type SetDark = (dark: boolean) => Promise<void>;

async function shoot(page: Page, name: string, setDark: SetDark): Promise<void> {
  for (const [size, viewport] of Object.entries(sizes)) {
    await page.setViewportSize(viewport);
    for (const theme of ['light', 'dark'] as const) {
      await setDark(theme === 'dark');
      await page.evaluate(() => document.fonts.ready);
      const file = path.join(folder, `${name}-${size}-${theme}.png`);
      await page.screenshot({ path: file, animations: 'disabled', caret: 'hide' });
    }
  }
  console.log(name);
}

async function shootScreens(screens: Screen[], prefix: string, setDark: SetDark): Promise<void> {
  for (const { name, route, query } of screens) {
    await route.open(query);
    await expect(route.heading).toBeVisible();
    await route.page.waitForLoadState('networkidle');
    await shoot(route.page, `${prefix}-${name}`, setDark);
  }
}

async function shootLanguage(language: TextLanguage): Promise<void> {
  const directory = await mkdtemp(path.join(os.tmpdir(), 'waymaker-screenshots-'));
  await using lab = await createLab();
  await using service = await startService(path.join(lab.directory, 'service'), lab, offers);
  await using keyring = await startKeyring(path.join(directory, 'keyring'));
  const helper = await prepareHelper(path.join(directory, 'helper'), lab);
  await helper.start();
  const browser = await launchBrowser();
  const app = await launchDesktopApp({
    lab,
    userData: path.join(directory, 'app'),
    languages: [languageTags[language]],
    env: {
      ...keyring.env,
      WAYMAKER_API_URL: service.apiUrl,
      WAYMAKER_HELPER_SOCKET: helper.socket,
    },
  });
  try {
    const desktop = `${language}-app`;
    const setDark: SetDark = (dark) => app.setDark(dark);
    await app.page.emulateMedia({ reducedMotion: 'reduce' });
    await shootScreens(publicScreens(app.page, language), desktop, setDark);
    await new LoginRoute(app.page, language).open();
    const account = await fillAccount(browser, service, 'ada@example.com');
    await signIn(app.page, service, account.email, language);
    await expect(new VerifyRoute(app.page, language).success).toBeHidden();
    await shootScreens(desktopScreens(app.page, language, account), desktop, setDark);
    await new ConnectRoute(app.page, language).open();
    const connect = await connectTo(app.page, undefined, language);
    const traffic = await lab.user.probe.stream('screenshot');
    await expect(connect.sent).toHaveText(/kB/);
    await traffic[Symbol.asyncDispose]();
    await shoot(app.page, `${desktop}-connected`, setDark);
    await connect.disconnect.click();
    await expect(connect.status('connect.disconnected')).toBeVisible();

    const web = `${language}-web`;
    const page = await openConsole(browser, service, { language });
    await page.emulateMedia({ reducedMotion: 'reduce' });
    const setWebDark: SetDark = (dark) => page.emulateMedia({ colorScheme: dark ? 'dark' : 'light' });
    await shootScreens(publicScreens(page, language), web, setWebDark);
    await new LoginRoute(page, language).open();
    await signIn(page, service, account.email, language);
    await expect(new VerifyRoute(page, language).success).toBeHidden();
    await shootScreens(webScreens(page, language, account), web, setWebDark);
  } finally {
    await app.quit();
    await helper.end();
    await browser.close();
    await rm(directory, { recursive: true, force: true, maxRetries: 20 });
  }
}

const isLanguage = (word: string) => languages.find((language) => language === word);
const wanted = process.argv.slice(2).flatMap((word) => isLanguage(word) ?? []);
await mkdir(folder, { recursive: true });
for (const language of wanted.length > 0 ? wanted : (['en'] as const)) await shootLanguage(language);
