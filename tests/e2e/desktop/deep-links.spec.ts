import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import type { Page } from 'playwright/test';
import { en } from '#shared/texts/en.ts';
import { controlPlace } from '../../../src/main/control/control-place.ts';
import { endProcess } from '../../lab/runs/process.ts';
import type { PlayedSystem } from '../../stand-in/launch-stand-in.ts';
import { expect, test as base, withoutRoot } from '../fixtures.ts';
import { ConnectRoute } from '../routes/connect-route.ts';
import { LoginRoute } from '../routes/login-route.ts';
import type { DesktopApp } from '../support/host/desktop-app.ts';
import { electronBinary } from '../support/host/electron-binary.ts';
import { serverNames } from '../support/service/service.ts';
import { arriveSignedIn, launchSignedIn } from '../support/tunnel/sign-in.ts';
import { notificationTitles, question, surroundingsOf } from '../support/host/surroundings-of.ts';
import { waitLimit } from '../../lab/runs/wait-limit.ts';

/** Links with the app's own scheme, as the system passes them on. The app is started with what is in its arguments. */

const toFirst = 'waymaker://connect?server=first';
const toUntrusted = 'waymaker://connect?server=untrusted';
const askFirst = `Connect to ${serverNames.first}?`;
const askUntrusted = `Connect to ${serverNames.untrusted}?`;

type OpenedBy = (links: readonly string[], system?: PlayedSystem) => Promise<DesktopApp>;

const test = base.extend<{ openedBy: OpenedBy }>({
  /** Starts the app by links; the user of `email` is signed in. */
  openedBy: async ({ keyring, launchHere, serviceHere, email }, provide) => {
    const before = await launchSignedIn(launchHere, serviceHere, email, { env: keyring.env });
    await before.quit();
    await provide((links, system = {}) =>
      launchHere({ env: keyring.env, args: links.length > 0 ? ['--', ...links] : [], system }),
    );
  },
});

test.skip(electronBinary() !== undefined, 'what real Electron asks outside of its window cannot be seen');

const chosenServer = (page: Page) =>
  page.evaluate(() =>
    (
      globalThis as unknown as { waymakerHost: { request(name: string): Promise<string | null> } }
    ).waymakerHost.request('server.chosen'),
  );

test.describe('a link that starts the app', () => {
  test('is asked about once the window is there, and changes nothing before that', async ({ openedBy }) => {
    const app = await openedBy([toUntrusted]);
    const desktop = surroundingsOf(app);
    await expect.poll(() => question(desktop)).toBe(askUntrusted);
    expect((await desktop.window()).isVisible).toBe(true);
    await expect(new ConnectRoute(app.page).heading).toBeVisible();
    const before = await chosenServer(app.page);
    expect(before).not.toBe('untrusted');
    await desktop.answer('Cancel');
    await expect.poll(() => desktop.messageBox()).toBeNull();
    expect(await chosenServer(app.page)).toBe(before);

    await app.startSecondInstance(toUntrusted);
    await expect.poll(() => question(desktop)).toBe(askUntrusted);
    await desktop.answer('Connect');
    await expect.poll(() => chosenServer(app.page), 'positive control').toBe('untrusted');
  });

  test('shows the window of an app that starts hidden', async ({ keyring, openedBy, launchHere }) => {
    expect(openedBy).toBeDefined();
    const app = await launchHere({ env: keyring.env, args: ['--hidden', '--', toFirst] });
    await expect.poll(() => question(surroundingsOf(app))).toBe(askFirst);
    expect((await surroundingsOf(app).window()).isVisible).toBe(true);
  });

  test('on Windows follows what the app has registered', async ({ openedBy }) => {
    const app = await openedBy([toFirst], { platform: 'win32', isPackaged: true });
    await expect.poll(() => question(surroundingsOf(app))).toBe(askFirst);
  });

  test('on macOS comes as an event, and so does one later', async ({ openedBy }) => {
    const app = await openedBy([], { platform: 'darwin', openedBy: toFirst });
    const desktop = surroundingsOf(app);
    await expect.poll(() => question(desktop)).toBe(askFirst);
    await desktop.answer('Cancel');
    await expect.poll(() => desktop.messageBox()).toBeNull();
    await desktop.openLink(toUntrusted);
    await expect.poll(() => question(desktop)).toBe(askUntrusted);
  });
});

test.describe('a link that asks for anything else, or hides something, changes nothing', () => {
  test('whether it starts the app or reaches a running one', async ({ openedBy }) => {
    const app = await openedBy(['waymaker://disconnect']);
    const desktop = surroundingsOf(app);
    await expect(new ConnectRoute(app.page).heading).toBeVisible();
    for (const [what, link] of [
      ['an unknown action', 'waymaker://disconnect'],
      ['a page of the app', 'waymaker://app/logout'],
      ['too long', `${toFirst}${'&'.repeat(600)}`],
      ['a tab', 'waymaker://con\tnect?server=first'],
      ['a line break and another link', `${toFirst}\n`],
      ['two links in one', `${toFirst} ${toFirst}`],
    ] as const) {
      await app.startSecondInstance(link);
      // The app asks one question at a time: had the link led to one, this would not be asked.
      await app.startSecondInstance(toUntrusted);
      await expect.poll(() => question(desktop), what).toBe(askUntrusted);
      await desktop.answer('Cancel');
      await expect.poll(() => desktop.messageBox()).toBeNull();
      expect(await notificationTitles(desktop), what).toEqual([]);
      expect(await chosenServer(app.page), what).not.toBe('untrusted');
    }
    await expect(new ConnectRoute(app.page).heading, 'the page is the same').toBeVisible();
  });

  test('a server that is not in the plan: the app says so', async ({ openedBy }) => {
    const app = await openedBy(['waymaker://connect?server=elsewhere']);
    const desktop = surroundingsOf(app);
    await expect
      .poll(() => desktop.notifications())
      .toEqual([{ title: en['connect.failed'], body: en['reason.serverNotListed'] }]);
    expect(await desktop.messageBox()).toBeNull();
    expect(await chosenServer(app.page)).not.toBe('elsewhere');
  });

  test('of two links, the last is asked about, and nothing after it', async ({ openedBy }) => {
    const app = await openedBy([toFirst, toUntrusted]);
    const desktop = surroundingsOf(app);
    await expect.poll(() => question(desktop)).toBe(askUntrusted);
    await app.startSecondInstance(toFirst);
    await desktop.answer('Cancel');
    await expect.poll(() => desktop.messageBox()).toBeNull();
  });
});

test('a link that is opened while the app still starts is not lost', async ({ openedBy, directory }) => {
  const userData = path.join(directory, 'app');
  const { lockPath } = controlPlace(userData, { env: { XDG_RUNTIME_DIR: userData }, platform: 'linux' });
  // Another process has the core, so the app waits for it. If this test is slow, the app ends that process.
  const holder = spawn('flock', ['-F', lockPath, 'sh', '-c', `echo $$ > ${lockPath}; echo; exec cat`]);
  await once(holder.stdout, 'data');
  const app = await openedBy([]);
  await app.startSecondInstance(toFirst);
  const letters = path.join(userData, 'stand-in-second-instances');
  await expect.poll(() => readdir(letters)).toEqual([]);
  await endProcess(holder);
  await expect.poll(() => question(surroundingsOf(app))).toBe(askFirst);
});

test('a link that is opened while nobody is signed in is asked about after the sign-in', async ({
  launchHere,
  serviceHere,
  email,
}) => {
  const app = await launchHere({ args: ['--', toFirst] });
  const desktop = surroundingsOf(app);
  await expect(new LoginRoute(app.page).heading).toBeVisible();
  await app.startSecondInstance(toUntrusted);
  expect(await desktop.messageBox()).toBeNull();
  await arriveSignedIn(app.page, serviceHere, email);
  await expect.poll(() => question(desktop)).toBe(askUntrusted);
  await desktop.answer('Cancel');
  await expect.poll(() => desktop.messageBox(), 'and only about the last').toBeNull();
});

test.describe('with a tunnel', () => {
  test.skip(withoutRoot, 'the laboratory needs root');

  test('the app that a link has started connects to its server once the user agrees', async ({
    helper: _helper,
    keyring,
    launch,
    service,
    email,
  }) => {
    const before = await launchSignedIn(launch, service, email, { env: keyring.env });
    await before.quit();
    const app = await launch({ env: keyring.env, args: ['--', toFirst] });
    const desktop = surroundingsOf(app);
    const connect = new ConnectRoute(app.page);
    await expect.poll(() => question(desktop)).toBe(askFirst);
    await expect(connect.status('connect.disconnected')).toBeVisible();
    await desktop.answer('Connect');
    await expect(connect.status('connect.connected')).toBeVisible({ timeout: waitLimit(30_000) });
    await expect(connect.chosen(serverNames.first)).toBeVisible();

    await app.startSecondInstance(toFirst);
    await app.startSecondInstance(toUntrusted);
    await expect.poll(() => question(desktop), 'it is connected to the first').toBe(askUntrusted);
  });
});
