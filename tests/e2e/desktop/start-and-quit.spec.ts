import path from 'node:path';
import type { Page } from 'playwright/test';
import { en } from '#shared/texts/en.ts';
import { desktopTexts } from '#shared/texts/desktop-texts.ts';
import type { Lab } from '../../lab/lab.ts';
import { addresses } from '../../lab/network/addresses.ts';
import { startNetworkManager } from '../../lab/desktop/network-manager.ts';
import { startTrayWatcher } from '../../lab/desktop/tray-watcher.ts';
import { isExhaustive } from '../../lab/runs/thoroughness.ts';
import { eventually } from '../../lab/runs/process.ts';
import { waitLimit } from '../../lab/runs/wait-limit.ts';
import { expect, test, withoutRoot } from '../fixtures.ts';
import { ConnectRoute } from '../routes/connect/connect-route.ts';
import { LoginRoute } from '../routes/account/login-route.ts';
import { LogoutRoute } from '../routes/account/logout-route.ts';
import { filesThatHold } from '../support/machine/files-that-hold.ts';
import { chooseServer, connectTo, openConnectTab } from '../support/tunnel/connect.ts';
import { askHost } from '../support/host/ask-host.ts';
import type { DesktopApp, Surroundings } from '../support/host/desktop-app.ts';
import { electronBinary } from '../support/host/electron-binary.ts';
import { enginePids } from '../support/tunnel/engine.ts';
import { openSettings } from '../support/screens/open-settings.ts';
import { serverNames } from '../support/service/service.ts';
import { arriveSignedIn, launchSignedIn } from '../support/tunnel/sign-in.ts';
import { expectNoNewNotices } from '../support/host/no-new-notices.ts';
import { notificationTitles, question, surroundingsOf, trayLabels } from '../support/host/surroundings-of.ts';

test.skip(withoutRoot, 'the laboratory needs root');
test.skip(electronBinary() !== undefined, 'what surrounds real Electron’s window cannot be seen');

const untilConnected = { timeout: waitLimit(30_000) };
const seenByFarSide = async (lab: Lab) => (await lab.user.probe.http4('start'))?.address;
const tooltip = async (app: DesktopApp) => (await surroundingsOf(app).tray())?.tooltip;
const connectedTooltip = `Waymaker: Connected to ${serverNames.first}`;

const sinceOf = async (page: Page) => ((await askHost(page, 'tunnel.snapshot')) as { since?: number }).since;

/** An app that is ready to connect, and would do so now if it did that by itself. */
async function expectIdle(app: DesktopApp): Promise<void> {
  const connect = new ConnectRoute(app.page);
  await expect(connect.status('connect.disconnected')).toBeVisible();
  await expect(connect.connect).toBeEnabled();
  // The icon is drawn once the helper and the stored sign-in are known, which is all that a connection waits for.
  await expect.poll(() => tooltip(app)).toBe('Waymaker: Not connected');
}

const isVisible = async (desktop: Surroundings) => (await desktop.window()).isVisible;

/** Ends with the window hidden. */
async function expectHidden(app: DesktopApp): Promise<void> {
  const desktop = surroundingsOf(app);
  await desktop.closeWindow();
  await expect.poll(() => isVisible(desktop)).toBe(false);
  await expect.poll(() => app.page.evaluate(() => document.hidden)).toBe(true);
  await desktop.clickTray();
  await expect.poll(() => isVisible(desktop)).toBe(true);
  await desktop.closeWindow();
  await expect.poll(() => isVisible(desktop)).toBe(false);

  await app.startSecondInstance(
    `waymaker://connect?server=${String(await askHost(app.page, 'server.chosen'))}`,
  );
  await expect.poll(() => question(desktop)).toBe(`Connect to ${serverNames.first}?`);
  await app.startSecondInstance('waymaker://app/logout');
  await desktop.answer('Cancel');
  await expect.poll(() => desktop.messageBox()).toBeNull();
  expect(await tooltip(app)).toBe('Waymaker: Not connected');
  await desktop.closeWindow();
  await expect.poll(() => isVisible(desktop)).toBe(false);
}

/**
 * Closes the window. On a busy machine it may not be known in time that nothing shows icons: the window is minimized
 * then, and opened and closed again.
 */
async function closeUntilAsked(desktop: Surroundings): Promise<void> {
  await desktop.closeWindow();
  await eventually('the app asks', async () => {
    if ((await question(desktop)) !== undefined) return true;
    if ((await desktop.window()).isMinimized) {
      await desktop.clickTray();
      await desktop.closeWindow();
    }
    return undefined;
  });
}

/** Of an app that is connected with the kill switch on; ends with the app. */
async function expectAsked(app: DesktopApp): Promise<void> {
  const desktop = surroundingsOf(app);
  await closeUntilAsked(desktop);
  expect(await question(desktop)).toBe('Waymaker is still running');
  await desktop.answer('Minimize');
  await expect.poll(async () => (await desktop.window()).isMinimized).toBe(true);

  await desktop.chooseInTray('Quit Waymaker');
  await expect.poll(() => question(desktop)).toBe('Disconnect and quit?');
  await desktop.answer('Cancel');
  await expect.poll(() => desktop.messageBox()).toBeNull();
  expect(await tooltip(app)).toBe(connectedTooltip);
  await desktop.chooseInTray('Quit Waymaker');
  await expect.poll(() => desktop.messageBox()).not.toBeNull();
  await desktop.answer('Disconnect and quit');
  await app.ended;
}

/** Chooses a server, and has the app connect to it whenever it starts. */
async function connectAtStart(page: Page): Promise<void> {
  await chooseServer(page);
  const settings = await openSettings(page);
  await settings.switchOn(settings.connectAtStart);
}

async function quitByTray(app: DesktopApp): Promise<void> {
  await surroundingsOf(app).chooseInTray('Quit Waymaker');
  await app.ended;
}

test.describe('at its start', () => {
  test('the tray connects with the window hidden, and what the user has set for quitting and starting is done', async ({
    directory,
    helper,
    keyring,
    launch,
    service,
    email,
    lab,
    networkBefore,
  }) => {
    test.setTimeout(waitLimit(240_000));
    const { env } = keyring;
    await using watcher = await startTrayWatcher({ env });
    const first = await launchSignedIn(launch, service, email, { env });
    const token = await eventually('the session is kept', async () => (await keyring.secrets()).at(0));
    expect(token.length).toBeGreaterThan(20);
    await connectAtStart(first.page);
    await openConnectTab(first.page);
    await test.step('the window is hidden and comes back, and a link is asked about', () =>
      expectHidden(first));
    await test.step('the tray connects, and what happens by itself is told', () => expectTold(first));
    // The desktop's panel has gone: nothing would bring a hidden window back.
    await watcher[Symbol.asyncDispose]();
    await test.step('without a place for an icon, and with the kill switch on, the app asks', () =>
      expectAsked(first));
    await test.step('quitting restores the network, and the session is in the keyring alone', async () => {
      await expect.poll(() => lab.user.snapshot()).toBe(networkBefore);
      expect(await filesThatHold(path.join(directory, 'app'), token)).toEqual([]);
    });

    await using _ = await startTrayWatcher({ env });
    // A tunnel that is up before the window is there would be told: the gateway answers once it is.
    await lab.setGatewayReachable(false);
    const second = await launch({ env });
    const connect = new ConnectRoute(second.page);
    await test.step('the app connects by itself, if the user wants that', async () => {
      try {
        await expect(connect.status('connect.connecting')).toBeVisible();
        await expect.poll(async () => (await surroundingsOf(second).window()).isVisible).toBe(true);
      } finally {
        await lab.setGatewayReachable(true);
      }
      await expect(connect.status('connect.connected')).toBeVisible(untilConnected);
      expect(await notificationTitles(surroundingsOf(second)), 'the window shows it').toEqual([]);
    });
    await connect.switchOff('killSwitch');
    const since = await sinceOf(second.page);
    expect(since).toBeGreaterThan(0);
    const engines = await enginePids(lab);
    await test.step('quitting keeps the tunnel, if that is set', async () => {
      await surroundingsOf(second).chooseInTray('Options', 'Stay connected after quitting');
      await quitByTray(second);
      expect(await seenByFarSide(lab)).toBe(addresses.gateway.ipv4);
    });

    const third = await launch({ env });
    await test.step('the next start shows the tunnel as it is', async () => {
      await expect(new ConnectRoute(third.page).status('connect.connected')).toBeVisible();
      expect(await sinceOf(third.page)).toBe(since);
      expect(await enginePids(lab), 'the same tunnel').toEqual(engines);
      expect(await notificationTitles(surroundingsOf(third))).toEqual([]);
      expect(second.output() + third.output()).not.toContain(token);
    });
    if (!isExhaustive) {
      await test.step('signing out removes the session', async () => {
        const logout = new LogoutRoute(third.page);
        await logout.open();
        await logout.confirm.click();
        await expect(new LoginRoute(third.page).heading).toBeVisible();
        await expect.poll(() => keyring.secrets()).toEqual([]);
        await quitByTray(third);
        expect(await filesThatHold(path.join(directory, 'app'), token)).toEqual([]);
        await expect.poll(() => lab.user.snapshot()).toBe(networkBefore);
      });
      return;
    }
    await test.step('quitting restores the network, if nothing else is set', async () => {
      await surroundingsOf(third).chooseInTray('Options', 'Stay connected after quitting');
      await quitByTray(third);
      expect(await seenByFarSide(lab)).toBe(addresses.user.ipv4);
      expect(await lab.user.snapshot()).toBe(networkBefore);
      expect(helper.output).not.toContain('the engine ended');
    });

    await test.step('a hidden start connects, and tells it', async () => {
      const hidden = await launch({ env, args: ['--hidden'] });
      const desktop = surroundingsOf(hidden);
      await expect.poll(() => tooltip(hidden), untilConnected).toBe(connectedTooltip);
      expect((await desktop.window()).isVisible).toBe(false);
      await expect.poll(() => notificationTitles(desktop)).toEqual([`Connected to ${serverNames.first}`]);
      expect(await seenByFarSide(lab)).toBe(addresses.gateway.ipv4);
      await desktop.chooseInTray('Options', 'Connect when Waymaker starts');
      await quitByTray(hidden);
      expect(await lab.user.snapshot()).toBe(networkBefore);
    });

    await test.step('the app does not connect by itself otherwise', async () => {
      const last = await launch({ env });
      await expectIdle(last);
      expect(await lab.user.snapshot()).toBe(networkBefore);
    });

    async function expectTold(app: DesktopApp): Promise<void> {
      const around = surroundingsOf(app);
      const server = serverNames.first;
      const isConnected = () => expect.poll(() => tooltip(app), untilConnected).toBe(connectedTooltip);
      const off = (await around.tray())?.picture;
      await expect.poll(() => trayLabels(around)).toContain(`Connect to ${server}`);
      const clickedAt = performance.now();
      await around.chooseInTray(`Connect to ${server}`);
      await isConnected();
      await expect.poll(async () => (await around.tray())?.picture).not.toBe(off);
      const titles = await expectNoNewNotices(around, { clickedAt, server });

      await helper.kill();
      await expect
        .poll(() => notificationTitles(around), { timeout: waitLimit(20_000) })
        .toEqual([...titles, 'Connection lost']);
      await helper.start();
      await isConnected();
      await expect
        .poll(() => notificationTitles(around))
        .toEqual([...titles, 'Connection lost', `Connected to ${server}`]);

      await around.clickNotification(titles.length + 1);
      await expect.poll(() => isVisible(around)).toBe(true);
      const shown = new ConnectRoute(app.page);
      await expect(shown.status('connect.connected')).toBeVisible();
      await shown.switchOn('killSwitch');
    }
  });

  if (isExhaustive)
    test('the app connects once its helper is there, if that starts after it', async ({
      idleHelper,
      keyring,
      launch,
      service,
      email,
    }) => {
      const { env } = keyring;
      const first = await launchSignedIn(launch, service, email, { env });
      await connectAtStart(first.page);
      await quitByTray(first);
      const second = await launch({ env });
      const connect = new ConnectRoute(second.page);
      await expect(connect.status('cause.helperAbsentTitle')).toBeVisible();
      await expect.poll(() => tooltip(second)).toBe('Waymaker: Waymaker’s helper is not running');
      await idleHelper.start();
      await expect(connect.status('connect.connected')).toBeVisible(untilConnected);
      await connect.disconnect.click();
      await expect(connect.status('connect.disconnected')).toBeVisible();

      // What the user has ended is not begun again for a helper that comes back.
      await idleHelper.kill();
      await expect(connect.status('cause.helperAbsentTitle')).toBeVisible();
      await idleHelper.start();
      await expectIdle(second);
    });

  if (isExhaustive)
    test('nobody is connected who has signed out', async ({
      helper: _helper,
      keyring,
      launch,
      service,
      email,
    }) => {
      const { env } = keyring;
      const first = await launchSignedIn(launch, service, email, { env });
      await connectAtStart(first.page);
      await askHost(first.page, 'session.signOut', { by: 'user' });
      await quitByTray(first);
      const second = await launch({ env });
      await expect(new LoginRoute(second.page).heading).toBeVisible();
      await expect.poll(() => tooltip(second)).toBe('Waymaker: Not connected');
      // Signing in is not a start.
      await arriveSignedIn(second.page, service, email);
      await openConnectTab(second.page);
      await expectIdle(second);
    });

  if (isExhaustive)
    test('on networks that are not trusted, the app connects at its start, and on trusted ones it does not', async ({
      helper: _helper,
      keyring,
      launch,
      service,
      email,
      directory,
    }) => {
      await using manager = await startNetworkManager(path.join(directory, 'networks'));
      const env = { ...keyring.env, ...manager.env };
      await manager.joinWifi('home');
      const first = await launchSignedIn(launch, service, email, { env });
      await chooseServer(first.page);
      const settings = await openSettings(first.page);
      await settings.switchOn(settings.connectOnUntrusted);
      await settings.trust.click();
      await expect(settings.trusted).toHaveCount(1);
      await quitByTray(first);

      const atHome = await launch({ env });
      await expectIdle(atHome);
      const onHome = await openSettings(atHome.page);
      await expect(onHome.network).toHaveText('home · Trusted');
      await openConnectTab(atHome.page);
      await expectIdle(atHome);
      await quitByTray(atHome);

      await manager.joinWifi('café');
      const elsewhere = await launch({ env });
      await expect(new ConnectRoute(elsewhere.page).status('connect.connected')).toBeVisible(untilConnected);
    });
});

test.describe('quitting', () => {
  if (isExhaustive)
    test('on macOS, the Dock’s Quit does the same, and the end of the system keeps the tunnel', async ({
      helper,
      keyring,
      launch,
      service,
      email,
      lab,
      networkBefore,
    }) => {
      const options = { env: keyring.env, system: { platform: 'darwin' } } as const;
      const first = await launchSignedIn(launch, service, email, options);
      await connectTo(first.page);
      await surroundingsOf(first).shutDown();
      await first.ended;
      expect(await seenByFarSide(lab)).toBe(addresses.gateway.ipv4);

      const second = await launch(options);
      await expect(new ConnectRoute(second.page).status('connect.connected')).toBeVisible();
      await surroundingsOf(second).quitByDock();
      await second.ended;
      expect(await seenByFarSide(lab)).toBe(addresses.user.ipv4);
      expect(await lab.user.snapshot()).toBe(networkBefore);
      expect(helper.output).not.toContain('the engine ended');
    });

  if (isExhaustive)
    test('with the kill switch on, says what stays blocked, and that stays so until somebody unblocks it, also without a sign-in', async ({
      helper,
      keyring,
      launch,
      service,
      email,
      lab,
      networkBefore,
    }) => {
      const { env } = keyring;
      const texts = desktopTexts.en;
      const first = await launchSignedIn(launch, service, email, { env });
      const connect = await connectTo(first.page);
      await connect.switchOn('killSwitch');
      const desktop = surroundingsOf(first);
      await desktop.chooseInTray('Quit Waymaker');
      await expect
        .poll(() => desktop.messageBox())
        .toEqual({
          message: texts['quit.disconnectTitle'],
          detail: texts['quit.disconnectText'],
          buttons: [texts['quit.disconnect'], texts['quit.keep'], en['connect.cancel']],
        });
      await desktop.answer('Cancel');
      await expect.poll(() => desktop.messageBox()).toBeNull();
      await desktop.chooseInTray('Options', 'Stay connected after quitting');
      await desktop.chooseInTray('Quit Waymaker');
      await expect
        .poll(() => desktop.messageBox())
        .toEqual({
          message: texts['quit.keepTitle'],
          detail: texts['quit.keepText'],
          buttons: [texts['quit.keep'], texts['quit.disconnect'], en['connect.cancel']],
        });
      await desktop.answer(texts['quit.keep']);
      await first.ended;
      expect(await seenByFarSide(lab)).toBe(addresses.gateway.ipv4);
      await helper.kill();
      await helper.start();
      expect(await seenByFarSide(lab), 'without a tunnel, nothing gets out').toBeUndefined();

      // Nobody is signed in without the keyring, so it cannot connect again.
      const second = await launch();
      await expect(new LoginRoute(second.page).heading).toBeVisible();
      for (const answer of ['Cancel', texts['quit.unblock']]) {
        await surroundingsOf(second).chooseInTray('Quit Waymaker');
        await expect
          .poll(() => surroundingsOf(second).messageBox())
          .toEqual({
            message: en['connect.blocked'],
            detail: texts['quit.blockedText'],
            buttons: [texts['quit.unblock'], texts['quit.keepBlocking'], en['connect.cancel']],
          });
        expect(await seenByFarSide(lab)).toBeUndefined();
        await surroundingsOf(second).answer(answer);
      }
      await second.ended;
      expect(await seenByFarSide(lab)).toBe(addresses.user.ipv4);
      expect(await lab.user.snapshot()).toBe(networkBefore);
    });
});
