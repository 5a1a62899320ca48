import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { en } from '#shared/texts/en.ts';
import type { PlayedSystem } from '../../stand-in/launch-stand-in.ts';
import { expect, test } from '../fixtures.ts';
import { SettingsRoute } from '../routes/settings-route.ts';
import { electronBinary } from '../support/host/electron-binary.ts';
import { openSettings } from '../support/screens/open-settings.ts';
import { launchSignedIn } from '../support/tunnel/sign-in.ts';
import { notificationTitles, surroundingsOf, trayLabels } from '../support/host/surroundings-of.ts';

/** What an installed app records in the system, and what it is to the user on each one. */

test.skip(electronBinary() !== undefined, 'real Electron plays no other system');

const systems = ['linux', 'darwin', 'win32'] as const;
const installed = (platform: (typeof systems)[number], more: PlayedSystem = {}) => ({
  system: { platform, isPackaged: true, ...more },
});

for (const platform of systems) {
  test.describe(`installed on ${platform}`, () => {
    test('the app registers its scheme; the keys of the menu are there, and quitting by them quits', async ({
      launchHere,
      serviceHere,
      email,
    }) => {
      const app = await launchSignedIn(launchHere, serviceHere, email, installed(platform));
      const desktop = surroundingsOf(app);
      expect(await desktop.protocolClients()).toEqual([
        { protocol: 'waymaker', path: process.execPath, args: ['--'] },
      ]);
      const menus = async () => (await desktop.menu())?.map(({ label }) => label);
      const first = platform === 'darwin' ? 'Waymaker' : 'File';
      await expect.poll(menus).toEqual([first, 'Connect', 'Edit', 'View', 'Window', 'Help']);
      const width = () => app.page.evaluate(() => innerWidth);
      const usual = await width();
      await desktop.press('CommandOrControl+Plus');
      await expect.poll(width).toBe(Math.round(usual / 1.2));
      await desktop.press('CommandOrControl+0');
      await expect.poll(width).toBe(usual);
      await desktop.press('CommandOrControl+,');
      await expect(new SettingsRoute(app.page).heading).toBeVisible();
      await desktop.press('CommandOrControl+Q');
      await app.ended;
    });
  });
}

test('an app that is not installed records nothing', async ({ launchHere, serviceHere, email }) => {
  const app = await launchSignedIn(launchHere, serviceHere, email);
  expect(await surroundingsOf(app).protocolClients()).toEqual([]);
  const settings = await openSettings(app.page);
  await expect(settings.connectAtStart).toBeVisible();
  await expect(settings.openAtLogin).toHaveCount(0);
});

for (const platform of ['darwin', 'win32'] as const) {
  test.describe(`on ${platform}`, () => {
    test('closing hides the window, and a click brings it back', async ({ launchHere }) => {
      const app = await launchHere(installed(platform));
      const desktop = surroundingsOf(app);
      const isVisible = async () => (await desktop.window()).isVisible;
      await expect.poll(() => trayLabels(desktop)).toContain('Quit Waymaker');
      await expect.poll(isVisible).toBe(true);
      await desktop.closeWindow();
      await expect.poll(isVisible).toBe(false);
      if (platform === 'darwin') await desktop.activate();
      else await desktop.clickTray();
      await expect.poll(isVisible).toBe(true);
      await desktop.closeWindow();
      await expect.poll(isVisible).toBe(false);
      await app.startSecondInstance();
      await expect.poll(isVisible).toBe(true);
      await desktop.chooseInTray('Quit Waymaker');
      await app.ended;
    });

    test('the system starts the app at login, if the user wants that, and hidden', async ({
      launchHere,
      serviceHere,
      email,
    }) => {
      const first = await launchSignedIn(launchHere, serviceHere, email, installed(platform));
      const settings = await openSettings(first.page);
      await expect(settings.openAtLogin).not.toBeChecked();
      await settings.switchOn(settings.openAtLogin);
      await first.quit();

      const isOpenedAtLogin = platform === 'darwin';
      const second = await launchHere({
        ...installed(platform, { isOpenedAtLogin }),
        args: isOpenedAtLogin ? [] : ['--hidden'],
      });
      const desktop = surroundingsOf(second);
      const option = async () => {
        const menu = (await desktop.tray())?.menu;
        const options = menu?.find(({ label }) => label === 'Options')?.items;
        return options?.find(({ label }) => label === en['settings.openAtLogin'])?.checked;
      };
      await expect.poll(option).toBe(true);
      expect((await desktop.window()).isVisible).toBe(false);

      await desktop.keepLoginItems();
      await desktop.chooseInTray('Options', en['settings.openAtLogin']);
      await expect.poll(() => notificationTitles(desktop)).toEqual([en['error.setting']]);
      expect(await option(), 'as the system has it').toBe(true);
    });
  });
}

test.describe('on Linux', () => {
  for (const [what, appImage] of [
    ['a package', undefined],
    ['an AppImage', '/home/me/My Apps/100%/Waymaker.AppImage'],
  ] as const) {
    test(`the desktop starts ${what} at login, if the user wants that`, async ({
      launchHere,
      serviceHere,
      email,
      directory,
    }) => {
      const app = await launchSignedIn(launchHere, serviceHere, email, {
        ...installed('linux'),
        ...(appImage !== undefined && { env: { APPIMAGE: appImage } }),
      });
      const file = path.join(directory, 'app/autostart/waymaker.desktop');
      const settings = await openSettings(app.page);
      await expect(settings.openAtLogin).not.toBeChecked();
      expect(existsSync(file)).toBe(false);
      await settings.switchOn(settings.openAtLogin);
      const program = appImage?.replace('%', '%%') ?? process.execPath;
      expect((await readFile(file, 'utf8')).split('\n')).toEqual([
        '[Desktop Entry]',
        'Type=Application',
        'Name=Waymaker',
        `Exec="${program}" "--hidden"`,
        'X-GNOME-Autostart-enabled=true',
        '',
      ]);
      await settings.switchOff(settings.openAtLogin);
      expect(existsSync(file)).toBe(false);
    });
  }

  test('what cannot be written is taken back, and said', async ({
    launchHere,
    serviceHere,
    email,
    directory,
  }) => {
    const app = await launchSignedIn(launchHere, serviceHere, email, installed('linux'));
    const folder = path.join(directory, 'app/autostart');
    await writeFile(folder, 'not a folder');
    const settings = await openSettings(app.page);
    await settings.openAtLogin.click();
    await expect(settings.says('error.storage')).toBeVisible();
    await expect(settings.openAtLogin).not.toBeChecked();

    await rm(folder);
    await mkdir(folder);
    await settings.switchOn(settings.openAtLogin);
    await app.page.reload();
    await expect(settings.openAtLogin, 'positive control').toBeChecked();
  });
});
