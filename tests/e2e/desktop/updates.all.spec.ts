import { readdir, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { generateKeyPairSync } from 'node:crypto';
import type { UpdateState } from '#shared/host/updates-contract.ts';
import type { UpdateTextKey } from '#shared/texts/update-texts.ts';
import { expect, test } from '../fixtures.ts';
import { AccountRoute } from '../routes/account-route.ts';
import { SettingsRoute } from '../routes/settings-route.ts';
import { UpdatesSection } from '../routes/updates-section.ts';
import { electronBinary } from '../support/host/electron-binary.ts';
import { createUpdatingApp } from '../support/host/updating-app.ts';
import { notificationTitles, surroundingsOf } from '../support/host/surroundings-of.ts';
import { expectNoViolations } from '../support/screens/axe.ts';
import { openSettings } from '../support/screens/open-settings.ts';
import { languages } from '../support/screens/texts.ts';
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
  const look = async (key: UpdateTextKey, values: Record<string, string> = {}) => {
    await updates.button('update.check').click();
    await expect(updates.says(key, values)).toBeVisible();
  };
  await look('update.unreachable');
  await made.publish('0.1.0');
  await look('update.current');
  await made.publish('0.2.0', { keys: [generateKeyPairSync('ed25519').privateKey] });
  await look('update.untrusted');
  // Somebody offers what was offered before.
  await made.publish('0.2.0', { now: new Date(Date.now() - 60_000) });
  await look('update.untrusted');
  // Only a part arrives, and then other bytes.
  await made.publish('0.2.1', { size: 300_000 });
  made.feed.cutAfter(made.feed.sent() + 100_000);
  await look('update.unreachable');
  const served = path.join(made.feed.folder, 'waymaker-core-0.2.1-x64.exe');
  await writeFile(served, Buffer.alloc((await stat(served)).size));
  await look('update.untrusted');
  expect(await readdir(path.join(directory, 'app/updates/downloads'))).toEqual([]);
  await made.publish('0.3.0', { percentage: 1e-9 });
  await look('update.later', { version: '0.3.0' });
  await updates.button('update.download').click();
  await expect(updates.says('update.ready', { version: '0.3.0' })).toBeVisible();
});

test('an update that is ready is installed when the user quits, and the app stays closed; who looks at the window gets no notification', async ({
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
    env: { ...made.options.env, APPIMAGE: '/proc/self/status' },
  });
  const updates = new UpdatesSection(page);
  await openSettings(page);
  await updates.button('update.check').click();
  await updates.button('update.installAndReopen').click();
  await expect(updates.says('update.notStarted')).toBeVisible();
  expect(await made.installed()).toBe('0.1.0');
});

const version = '12.34.56';
const states: [UpdateState, UpdateTextKey][] = [
  [{ kind: 'checking' }, 'update.checking'],
  [{ kind: 'current' }, 'update.current'],
  [{ kind: 'later', version }, 'update.later'],
  [{ kind: 'metered', version, size: 81_000_000 }, 'update.metered'],
  [{ kind: 'downloading', version, received: 31_000_000, size: 81_000_000 }, 'update.progress'],
  [{ kind: 'ready', version, held: null }, 'update.readyText'],
  [{ kind: 'ready', version, held: 'would-open' }, 'update.wouldOpen'],
  [{ kind: 'ready', version, held: 'would-open-other' }, 'update.wouldOpenOther'],
  [{ kind: 'ready', version, held: 'not-started' }, 'update.notStarted'],
  [{ kind: 'installing', version }, 'update.installingAndReopens'],
  [{ kind: 'failed', problem: 'unreachable' }, 'update.unreachable'],
  [{ kind: 'failed', problem: 'damaged' }, 'update.untrusted'],
  [{ kind: 'failed', problem: 'no-room' }, 'update.noRoom'],
  [{ kind: 'failed', problem: 'busy' }, 'update.busy'],
];
const values = { version, size: '81 MB', received: '31 MB' };

for (const language of languages)
  test(`each state is said in ${language}, on a phone’s width too, and everybody can perceive it`, async ({
    launchHere,
    serviceHere,
    email,
    directory,
  }) => {
    await using made = await createUpdatingApp(directory);
    const { page } = await launchSignedIn(launchHere, serviceHere, email, {
      ...made.options,
      dark: language === 'zh-hant',
    });
    const first = await openSettings(page);
    if (language !== 'en')
      await first.speech.selectOption({ 'zh-hans': '简体中文', 'zh-hant': '繁體中文' }[language]);
    const settings = new SettingsRoute(page, language);
    await expect(settings.heading).toBeVisible();
    const updates = new UpdatesSection(page, language);
    for (const [state, key] of states) {
      const account = new AccountRoute(page, language);
      await account.follow();
      // The settings ask again only once they have been left.
      await expect(account.heading).toBeVisible();
      await made.tell({ state, failedVersion: null, endsTunnel: true, reopens: true });
      for (const width of [1200, 360]) {
        await page.setViewportSize({ width, height: 800 });
        await settings.follow();
        await expect(updates.says(key, values)).toBeVisible();
        const { scrollWidth, clientWidth } = await page.evaluate(() => document.documentElement);
        expect(scrollWidth, key).toBe(clientWidth);
        const folder = process.env['WAYMAKER_PICTURES'];
        if (folder !== undefined) {
          // Not behind the bar at the bottom.
          await updates.section.evaluate((section) => section.scrollIntoView({ block: 'center' }));
          const name = `${key}-${'held' in state ? state.held : 'problem' in state ? state.problem : state.kind}`;
          await page.screenshot({ path: path.join(folder, `${language}-${width}-${name}.png`) });
        }
      }
      if (state.kind === 'ready' || state.kind === 'downloading' || state.kind === 'metered')
        await expectNoViolations(page, key);
    }
  });
