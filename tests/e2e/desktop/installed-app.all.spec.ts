import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { appId, toastActivator } from '#node/manifest/app-identity.ts';
import { en } from '#shared/texts/en.ts';
import type { PlayedSystem } from '../../stand-in/launch-stand-in.ts';
import { expect, test } from '../fixtures.ts';
import { SettingsRoute } from '../routes/desktop/settings-route.ts';
import type { DesktopApp } from '../support/host/desktop-app.ts';
import { electronBinary } from '../support/host/electron-binary.ts';
import { launchSignedIn } from '../support/tunnel/sign-in.ts';
import { notificationTitles, surroundingsOf } from '../support/host/surroundings-of.ts';

type System = 'linux' | 'darwin' | 'win32';

const installed = (platform: System, more: PlayedSystem = {}) => ({
  system: { platform, isPackaged: true, ...more },
});

/** Registers its scheme where nobody else does, and has the menu and its keys; ends at the settings. */
async function expectInstalled(app: DesktopApp, platform: System): Promise<void> {
  const desktop = surroundingsOf(app);
  // On Windows, the installer does that.
  expect(await desktop.protocolClients()).toEqual(
    platform === 'win32' ? [] : [{ protocol: 'waymaker', path: process.execPath, args: ['--'] }],
  );
  // That of the installer's shortcut.
  expect(await desktop.identity()).toEqual(platform === 'win32' ? [appId, toastActivator] : []);
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
}
test.skip(electronBinary() !== undefined, 'real Electron plays no other system');

for (const platform of ['darwin', 'win32'] as const) {
  test.describe(`on ${platform}`, () => {
    test('the app registers its scheme, has the keys of the menu, starts at login if wanted, and hides when closed', async ({
      launchHere,
      serviceHere,
      email,
    }) => {
      const first = await launchSignedIn(launchHere, serviceHere, email, installed(platform));
      await expectInstalled(first, platform);
      const settings = new SettingsRoute(first.page);
      await expect(settings.openAtLogin).not.toBeChecked();
      await settings.switchOn(settings.openAtLogin);
      await surroundingsOf(first).press('CommandOrControl+Q');
      await first.ended;

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
      // A window is shown with its first document.
      await second.page.waitForLoadState();
      expect((await desktop.window()).isVisible).toBe(false);

      await desktop.keepLoginItems();
      await desktop.chooseInTray('Options', en['settings.openAtLogin']);
      await expect.poll(() => notificationTitles(desktop)).toEqual([en['error.setting']]);
      expect(await option(), 'as the system has it').toBe(true);

      const isVisible = async () => (await desktop.window()).isVisible;
      if (platform === 'darwin') await desktop.activate();
      else await desktop.clickTray();
      await expect.poll(isVisible).toBe(true);
      await desktop.closeWindow();
      await expect.poll(isVisible).toBe(false);
      await second.startSecondInstance();
      await expect.poll(isVisible).toBe(true);
      await desktop.chooseInTray('Quit Waymaker');
      await second.ended;
    });
  });
}

test.describe('on Linux', () => {
  const packagings: [string, string | undefined, string][] = [
    ['a package', undefined, `"${process.execPath}"`],
    // A path with a percent sign is given to a shell: desktops look for such a program under its escaped name.
    [
      'an AppImage',
      '/home/me/My Apps/100%/Waymaker.AppImage',
      String.raw`"/bin/sh" "-c" "exec \\"\\$0\\" \\"\\$@\\"" "/home/me/My Apps/100%%/Waymaker.AppImage"`,
    ],
  ];
  for (const [what, appImage, program] of packagings) {
    test(`the app registers its scheme, and the desktop starts ${what} at login if wanted, unless that cannot be written`, async ({
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
      await expectInstalled(app, 'linux');
      const settings = new SettingsRoute(app.page);
      await expect(settings.openAtLogin).not.toBeChecked();
      expect(existsSync(file)).toBe(false);
      await settings.switchOn(settings.openAtLogin);
      expect((await readFile(file, 'utf8')).split('\n')).toEqual([
        '[Desktop Entry]',
        'Type=Application',
        'Name=Waymaker',
        `Exec=${program} "--hidden"`,
        'X-GNOME-Autostart-enabled=true',
        '',
      ]);
      await settings.switchOff(settings.openAtLogin);
      expect(existsSync(file)).toBe(false);

      const folder = path.dirname(file);
      await rm(folder, { recursive: true });
      await writeFile(folder, 'not a folder');
      await settings.openAtLogin.click();
      await expect(settings.says('error.storage')).toBeVisible();
      await expect(settings.openAtLogin).not.toBeChecked();
      await rm(folder);
      await mkdir(folder);
      await settings.switchOn(settings.openAtLogin);
      await app.page.reload();
      await expect(settings.openAtLogin, 'positive control').toBeChecked();
      await surroundingsOf(app).press('CommandOrControl+Q');
      await app.ended;
    });
  }
});
