import { mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { generateKeyPairSync } from 'node:crypto';
import type { UpdateTextKey } from '#shared/texts/update-texts.ts';
import type { Page } from 'playwright/test';
import { expect, test } from '../fixtures.ts';
import { AccountRoute } from '../routes/account/account-route.ts';
import { SettingsRoute } from '../routes/desktop/settings-route.ts';
import { UpdatesSection } from '../routes/desktop/updates-section.ts';
import { askHost } from '../support/host/ask-host.ts';
import { electronBinary } from '../support/host/electron-binary.ts';
import { createUpdatingApp } from '../support/host/updating-app.ts';
import { notificationTitles, surroundingsOf } from '../support/host/surroundings-of.ts';
import { expectNoViolations } from '../support/screens/axe.ts';
import { openSettings } from '../support/screens/open-settings.ts';
import { pseudoUpdateTexts } from '../support/screens/pseudo-language.ts';
import { languages, languageTags, texts } from '../support/screens/texts.ts';
import {
  newVersion,
  readyWithoutKillSwitch,
  updateScreens,
  updateValues,
  type UpdateScreen,
} from '../support/screens/update-states.ts';
import { startService } from '../support/service/service.ts';
import { launchSignedIn } from '../support/tunnel/sign-in.ts';

test.skip(
  electronBinary() !== undefined,
  'real Electron would start the AppImage outside of what tests can see',
);

test('each failure is told in its own words, and is forgotten once an update can be had', async ({
  launchHere,
  serviceHere,
  email,
  directory,
}) => {
  await using made = await createUpdatingApp(directory);
  const { page } = await launchSignedIn(launchHere, serviceHere, email, made.options);
  const updates = new UpdatesSection(page);
  await openSettings(page);
  /** `state`: as the app has it, since what the page says may still be of the look before. */
  const look = async (key: UpdateTextKey, state: object, values: Record<string, string> = {}) => {
    await updates.button('update.check').click();
    await expect.poll(() => askHost(page, 'updates.get')).toMatchObject({ state });
    await expect(updates.says(key, values)).toBeVisible();
  };
  const failed = (problem: string) => ({ kind: 'failed', problem });
  await look('update.unreachable', failed('unreachable'));
  await made.publish('0.1.0');
  await look('update.current', { kind: 'current' });
  await made.publish('0.2.0', { keys: [generateKeyPairSync('ed25519').privateKey] });
  await look('update.untrusted', failed('untrusted'));
  // Somebody offers what was offered before.
  await made.publish('0.2.0', { now: new Date(Date.now() - 60_000) });
  await look('update.untrusted', failed('replayed'));
  // Only a part arrives, and then other bytes.
  await made.publish('0.2.1', { size: 300_000 });
  made.feed.cutAfter(made.feed.sent() + 100_000);
  await look('update.unreachable', failed('unreachable'));
  const served = path.join(made.feed.folder, 'waymaker-core-0.2.1-x64.exe');
  await writeFile(served, Buffer.alloc((await stat(served)).size));
  await look('update.untrusted', failed('damaged'));
  expect(await readdir(path.join(directory, 'app/updates/downloads'))).toEqual([]);
  await made.publish('0.3.0', { percentage: 1e-9 });
  await look('update.later', { kind: 'later' }, { version: '0.3.0' });
  await updates.button('update.download').click();
  await expect(updates.says('update.ready', { version: '0.3.0' })).toBeVisible();
});

test('an update that is ready is installed without a notification when the user quits, and the app stays closed', async ({
  launchHere,
  serviceHere,
  email,
  directory,
}) => {
  await using made = await createUpdatingApp(directory);
  await made.publish('0.2.0');
  const app = await launchSignedIn(launchHere, serviceHere, email, made.options);
  const desktop = surroundingsOf(app);
  const updates = new UpdatesSection(app.page);
  await openSettings(app.page);
  await updates.button('update.check').click();
  await expect(updates.says('update.ready', { version: '0.2.0' })).toBeVisible();
  await new AccountRoute(app.page).follow();
  const notice = updates.notice('0.2.0');
  await notice.getByRole('button', { name: 'Dismiss' }).click();
  await expect(notice).toHaveCount(0);
  await expect(new AccountRoute(app.page).heading).toBeFocused();
  expect(await notificationTitles(desktop)).toEqual([]);
  await desktop.chooseInTray('Quit Waymaker');
  await app.ended;
  expect(await made.installed()).toBe('0.2.0');
  expect(await made.started()).toEqual([]);
});

test('an AppImage in a folder that nobody may write to says so, and stays', async ({
  launchHere,
  serviceHere,
  email,
  directory,
}) => {
  await using made = await createUpdatingApp(directory);
  await made.publish('0.2.0');
  const { page } = await launchSignedIn(launchHere, serviceHere, email, {
    ...made.options,
    env: { ...made.options.env, APPIMAGE: '/sys/devices/system/cpu/online' },
  });
  const updates = new UpdatesSection(page);
  await openSettings(page);
  await updates.button('update.check').click();
  await updates.button('update.installAndReopen').click();
  await expect(updates.says('update.notWritable')).toBeVisible();
  expect(await made.installed()).toBe('0.1.0');
});

/** A service whose operator has said everything in other words. */
const startOperatorsService = (directory: string) =>
  startService(path.join(directory, 'service'), undefined, {
    translations: { en: { ...texts.pseudo, ...pseudoUpdateTexts } },
  });

async function expectWithinWindow(page: Page, name: string): Promise<void> {
  const { scrollWidth, clientWidth } = await page.evaluate(() => document.documentElement);
  expect(scrollWidth, name).toBe(clientWidth);
}

/** For who wants to look at it: into the folder that the environment names. */
async function takePicture(page: Page, name: string): Promise<void> {
  const folder = process.env['WAYMAKER_PICTURES'];
  if (folder !== undefined) await page.screenshot({ path: path.join(folder, `${name}.png`) });
}

async function expectSaid(updates: UpdatesSection, screen: UpdateScreen): Promise<void> {
  const { name, says, button, isHeld = false } = screen;
  // Of two, the first is for screen readers.
  for (const key of says) await expect(updates.says(key, updateValues).last(), name).toBeVisible();
  if (button) await expect(updates.button(button), name).toBeEnabled({ enabled: !isHeld });
}

test('whoever is connected without the kill switch reads why nothing is installed before they press anything', async ({
  launchHere,
  serviceHere,
  email,
  directory,
}) => {
  await using made = await createUpdatingApp(directory);
  const { page } = await launchSignedIn(launchHere, serviceHere, email, made.options);
  const { view, tunnel } = readyWithoutKillSwitch;
  await made.tell({ 'updates.get': view, ...(tunnel && { 'tunnel.snapshot': tunnel }) });
  await openSettings(page);
  await expectSaid(new UpdatesSection(page), readyWithoutKillSwitch);
});

test('a version that a package manager has installed is told above other pages, and in the settings', async ({
  launchHere,
  serviceHere,
  email,
  directory,
}) => {
  await using made = await createUpdatingApp(directory);
  const { page } = await launchSignedIn(launchHere, serviceHere, email, made.options);
  const installed = updateScreens.find(({ name }) => name === 'installed');
  if (!installed) throw new Error('no such state');
  await made.tell({ 'updates.get': installed.view });
  await new AccountRoute(page).open();
  const updates = new UpdatesSection(page);
  const notice = page.getByRole('status').filter({ hasText: updates.text('update.installed', updateValues) });
  await expect(notice).toContainText(updates.text('update.installedText'));
  await updates.show.click();
  await expectSaid(updates, installed);
  await expect(notice).toHaveCount(0);
});

const widths = [1200, 360];

for (const language of [...languages, 'pseudo'] as const)
  test(`each state is said in ${language === 'pseudo' ? 'the operator’s words' : language}, on a phone’s width too, and everybody can perceive it`, async ({
    launchHere,
    serviceHere,
    email,
    directory,
  }) => {
    await using made = await createUpdatingApp(directory);
    await mkdir(path.join(directory, 'app'), { recursive: true });
    await writeFile(path.join(directory, 'app/settings.json'), JSON.stringify({ killSwitch: true }));
    await using operators = language === 'pseudo' ? await startOperatorsService(directory) : undefined;
    const service = operators ?? serviceHere;
    const options = {
      ...made.options,
      env: { ...made.options.env, WAYMAKER_API_URL: service.apiUrl },
      languages: [languageTags[language]],
      dark: language === 'zh-hant' || language === 'pseudo',
    };
    const { page } = await launchSignedIn(launchHere, service, email, options, language);
    const [account, settings] = [new AccountRoute(page, language), new SettingsRoute(page, language)];
    const updates = new UpdatesSection(page, language);
    for (const screen of updateScreens) {
      const { name, view, tunnel } = screen;
      await account.follow();
      // The settings ask again only once they have been left.
      await expect(account.heading).toBeVisible();
      await made.tell({ 'updates.get': view, ...(tunnel && { 'tunnel.snapshot': tunnel }) });
      for (const width of widths) {
        await page.setViewportSize({ width, height: 800 });
        await settings.follow();
        await expectSaid(updates, screen);
        await expectWithinWindow(page, name);
        // Not behind the bar at the bottom.
        await updates.section.evaluate((section) => section.scrollIntoView({ block: 'center' }));
        await takePicture(page, `${language}-${width}-${name}`);
      }
      if (['ready', 'downloading', 'metered'].includes(name)) await expectNoViolations(page, name);
    }
    await account.open();
    for (const width of widths) {
      await page.setViewportSize({ width, height: 800 });
      await expect(updates.notice(newVersion)).toBeVisible();
      await expectWithinWindow(page, 'notice');
      await takePicture(page, `${language}-${width}-notice`);
    }
    await expectNoViolations(page, 'notice');
  });
