import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { Page } from 'playwright/test';
import { en } from '#shared/texts/en.ts';
import { controlPlace } from '../../../src/main/control/control-place.ts';
import { endProcess } from '../../lab/runs/process.ts';
import type { PlayedSystem } from '../../stand-in/launch-stand-in.ts';
import { expect, test as base, withoutRoot } from '../fixtures.ts';
import { ConnectRoute } from '../routes/connect/connect-route.ts';
import { LoginRoute } from '../routes/account/login-route.ts';
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

const chosenServer = (page: Page) =>
  page.evaluate(() =>
    (
      globalThis as unknown as { waymakerHost: { request(name: string): Promise<string | null> } }
    ).waymakerHost.request('server.chosen'),
  );

/** Links that ask for anything else than a connection, or hide something. */
const others = {
  'an unknown action': 'waymaker://disconnect',
  'a page of the app': 'waymaker://app/logout',
  'too long': `${toFirst}${'&'.repeat(600)}`,
  'a tab': 'waymaker://con\tnect?server=first',
  'a line break and another link': `${toFirst}\n`,
  'two links in one': `${toFirst} ${toFirst}`,
} as const;

const tried = Object.keys(others) as (keyof typeof others)[];
test.skip(electronBinary() !== undefined, 'what real Electron asks outside of its window cannot be seen');

test('a link that starts the app is asked about once the window is there, and any other link does nothing', async ({
  openedBy,
}) => {
  const app = await openedBy([toUntrusted]);
  const desktop = surroundingsOf(app);
  await expect.poll(() => question(desktop)).toBe(askUntrusted);
  expect((await desktop.window()).isVisible).toBe(true);
  const connect = new ConnectRoute(app.page);
  await expect(connect.heading).toBeVisible();
  const before = await chosenServer(app.page);
  expect(before).not.toBe('untrusted');
  await desktop.answer('Cancel');
  await expect.poll(() => desktop.messageBox()).toBeNull();
  expect(await chosenServer(app.page)).toBe(before);

  for (const what of tried) {
    await app.startSecondInstance(others[what]);
    // The app asks one question at a time: had the link led to one, this would not be asked.
    await app.startSecondInstance(toUntrusted);
    await expect.poll(() => question(desktop), what).toBe(askUntrusted);
    await desktop.answer('Cancel');
    await expect.poll(() => desktop.messageBox()).toBeNull();
    expect(await notificationTitles(desktop), what).toEqual([]);
    expect(await chosenServer(app.page), what).toBe(before);
  }
  await expect(connect.heading, 'the page is the same').toBeVisible();

  await app.startSecondInstance('waymaker://connect?server=elsewhere');
  await expect
    .poll(() => desktop.notifications())
    .toEqual([{ title: en['connect.failed'], body: en['reason.serverNotListed'] }]);
  expect(await desktop.messageBox()).toBeNull();
  expect(await chosenServer(app.page)).toBe(before);

  await app.startSecondInstance(toUntrusted);
  await expect.poll(() => question(desktop)).toBe(askUntrusted);
  await desktop.answer('Connect');
  await expect.poll(() => chosenServer(app.page), 'positive control').toBe('untrusted');
});

test.describe('a link that starts the app', () => {
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

  test('of two links, the last is asked about, and nothing after it', async ({ openedBy }) => {
    const app = await openedBy([toFirst, toUntrusted]);
    const desktop = surroundingsOf(app);
    await expect.poll(() => question(desktop)).toBe(askUntrusted);
    await app.startSecondInstance(toFirst);
    await desktop.answer('Cancel');
    await expect.poll(() => desktop.messageBox()).toBeNull();
    // Had the one in between been kept, it would be asked about first.
    await app.startSecondInstance(toUntrusted);
    await expect.poll(() => question(desktop)).toBe(askUntrusted);
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
  await endProcess(holder);
  await expect.poll(() => question(surroundingsOf(app))).toBe(askFirst);
});

test.describe('with a tunnel', () => {
  test.skip(withoutRoot, 'the laboratory needs root');

  test('a link opened while nobody is signed in is asked about after the sign-in, and connects once the user agrees', async ({
    helper: _helper,
    launch,
    service,
    email,
  }) => {
    const app = await launch({ args: ['--', toUntrusted] });
    const desktop = surroundingsOf(app);
    await expect(new LoginRoute(app.page).heading).toBeVisible();
    await app.startSecondInstance(toFirst);
    expect(await desktop.messageBox()).toBeNull();
    await arriveSignedIn(app.page, service, email);
    const connect = new ConnectRoute(app.page);
    await expect.poll(() => question(desktop), 'about the last').toBe(askFirst);
    await connect.follow();
    await expect(connect.status('connect.disconnected')).toBeVisible();
    await desktop.answer('Connect');
    await expect(connect.status('connect.connected')).toBeVisible({ timeout: waitLimit(30_000) });
    await expect(connect.chosen(serverNames.first)).toBeVisible();
    expect(await desktop.messageBox(), 'and about no other').toBeNull();

    await app.startSecondInstance(toFirst);
    await app.startSecondInstance(toUntrusted);
    await expect.poll(() => question(desktop), 'it is connected to the first').toBe(askUntrusted);
  });
});
