import type { DesktopApp, Surroundings } from '../support/host/desktop-app.ts';
import { startMessageBus } from '../../lab/desktop/message-bus.ts';
import { startTrayWatcher } from '../../lab/desktop/tray-watcher.ts';
import { isExhaustive } from '../../lab/runs/thoroughness.ts';
import { waitLimit } from '../../lab/runs/wait-limit.ts';
import { expect, test, withoutRoot } from '../fixtures.ts';
import { LoginRoute } from '../routes/login-route.ts';
import { ReportRoute } from '../routes/report-route.ts';
import { chooseServer } from '../support/tunnel/connect.ts';
import { electronBinary } from '../support/host/electron-binary.ts';
import { arriveSignedIn } from '../support/tunnel/sign-in.ts';
import { serverNames } from '../support/service/service.ts';
import { notificationTitles, question, surroundingsOf, trayLabels } from '../support/host/surroundings-of.ts';

test.skip(
  electronBinary() !== undefined,
  "what surrounds real Electron's window cannot be seen from outside",
);

const isVisible = async (desktop: Surroundings) => (await desktop.window()).isVisible;

/** How many messages the page has sent once it sends no more: one that has just loaded is still asking. */
async function askedOnceLoaded(desktop: Surroundings): Promise<number> {
  let before = -1;
  const isSettled = () => before === (before = desktop.asked());
  await expect.poll(isSettled, { intervals: [500] }).toBe(true);
  return before;
}

test.describe('a session that shows tray icons', () => {
  if (isExhaustive)
    test('closing hides the window, which then asks nothing; a click, or a second start, brings it back', async ({
      launchHere,
      directory,
    }) => {
      await using bus = await startMessageBus(`${directory}/session`);
      await using _ = await startTrayWatcher(bus);
      const env = { DBUS_SESSION_BUS_ADDRESS: bus.env.DBUS_SESSION_BUS_ADDRESS };
      const app = await launchHere({ env });
      const desktop = surroundingsOf(app);
      await app.page.clock.install();
      await app.page.reload();
      await expect(new LoginRoute(app.page).heading).toBeVisible();

      await desktop.closeWindow();
      await expect.poll(() => isVisible(desktop)).toBe(false);
      await expect.poll(() => app.page.evaluate(() => document.hidden)).toBe(true);
      await app.page.clock.runFor(1000);
      const asked = await askedOnceLoaded(desktop);
      await app.page.clock.runFor(120_000);
      expect(desktop.asked()).toBe(asked);

      await desktop.clickTray();
      await expect.poll(() => isVisible(desktop)).toBe(true);
      await app.page.clock.runFor(10_000);
      await expect.poll(() => desktop.asked(), { message: 'positive control' }).toBeGreaterThan(asked);

      await desktop.closeWindow();
      await expect.poll(() => isVisible(desktop)).toBe(false);
      await app.startSecondInstance();
      await expect.poll(() => isVisible(desktop)).toBe(true);

      await desktop.closeWindow();
      await expect.poll(() => isVisible(desktop)).toBe(false);
      await app.startSecondInstance('waymaker://connect?server=--evil');
      await expect.poll(() => isVisible(desktop)).toBe(true);
      expect(await desktop.messageBox(), 'nobody is signed in').toBeNull();

      await desktop.chooseInTray('Quit Waymaker');
      await app.ended;
    });

  if (isExhaustive)
    test('an app that the system starts at login has its window hidden until it is wanted', async ({
      launchHere,
      directory,
    }) => {
      await using bus = await startMessageBus(`${directory}/session`);
      await using _ = await startTrayWatcher(bus);
      const env = { DBUS_SESSION_BUS_ADDRESS: bus.env.DBUS_SESSION_BUS_ADDRESS };
      const app = await launchHere({ env, args: ['--hidden'] });
      const desktop = surroundingsOf(app);
      await expect(new LoginRoute(app.page).heading).toBeVisible();
      await expect.poll(() => trayLabels(desktop)).toContain('Open Waymaker');
      expect(await isVisible(desktop)).toBe(false);
      await app.page.clock.install();
      await app.page.reload();
      await expect(new LoginRoute(app.page).heading).toBeVisible();
      await expect.poll(() => app.page.evaluate(() => document.hidden)).toBe(true);
      await app.page.clock.runFor(1000);
      const asked = await askedOnceLoaded(desktop);
      await app.page.clock.runFor(120_000);
      expect(desktop.asked()).toBe(asked);
      await desktop.chooseInTray('Open Waymaker');
      await expect.poll(() => isVisible(desktop)).toBe(true);
    });

  if (isExhaustive)
    test('the window opens where it was, and as large, if that can be reached', async ({ launchHere }) => {
      const first = await launchHere();
      const bounds = { x: 200, y: 100, width: 1000, height: 800 };
      await surroundingsOf(first).moveWindow(bounds);
      await first.quit();
      const second = await launchHere();
      expect((await surroundingsOf(second).window()).bounds).toEqual(bounds);
      // On a display that has been taken away since.
      await surroundingsOf(second).moveWindow({ ...bounds, x: 2000 });
      await second.quit();
      const third = await launchHere();
      expect((await surroundingsOf(third).window()).bounds).toEqual({ ...bounds, x: 0, y: 0 });
    });
});

if (isExhaustive)
  test('without a place for an icon, closing the window of an idle app quits', async ({ launchHere }) => {
    const app = await launchHere();
    await expect(new LoginRoute(app.page).heading).toBeVisible();
    await expect.poll(() => trayLabels(surroundingsOf(app))).toBeDefined();
    await surroundingsOf(app).closeWindow();
    await app.ended;
  });

if (isExhaustive)
  test.describe('the icon speaks the user’s language, and suits the theme', () => {
    const english = ['en-US', 'Waymaker’s helper is not running', 'Quit Waymaker'] as const;
    const simplified = ['zh-CN', '辅助服务未运行', '退出 Waymaker'] as const;
    const traditional = ['zh-TW', '輔助服務未執行', '結束 Waymaker'] as const;
    for (const [language, line, quit] of [english, simplified, traditional]) {
      test(language, async ({ launchHere }) => {
        const app = await launchHere({ languages: [language] });
        const desktop = surroundingsOf(app);
        await expect.poll(() => trayLabels(desktop)).toEqual(expect.arrayContaining([line, quit]));
        const light = (await desktop.tray())?.picture;
        await app.setDark(true);
        await expect.poll(async () => (await desktop.tray())?.picture).not.toBe(light);
      });
    }
  });

if (isExhaustive)
  test('the menu bar is hidden and there for its keys; what is made larger stays so; text fields have a menu', async ({
    launchHere,
  }) => {
    const languages = ['zh-CN'];
    const first = await launchHere({ languages });
    const desktop = surroundingsOf(first);
    const width = (app: DesktopApp) => app.page.evaluate(() => innerWidth);
    await expect(new LoginRoute(first.page, 'zh-hans').heading).toBeVisible();
    await expect
      .poll(async () => (await desktop.menu())?.map(({ label }) => label))
      .toEqual(['文件', '连接', '编辑', '显示', '窗口', '帮助']);
    expect((await desktop.window()).hasMenuBar).toBe(false);

    const usual = await width(first);
    await desktop.press('CommandOrControl+=');
    await expect.poll(() => width(first)).toBe(Math.round(usual / 1.2));
    await desktop.zoomByWheel('out');
    await expect.poll(() => width(first)).toBe(usual);
    await desktop.press('CommandOrControl+Plus');
    await desktop.press('CommandOrControl+Plus');
    await expect.poll(() => width(first)).toBe(Math.round(usual / 1.2 ** 2));

    const field = await desktop.rightClick({ isEditable: true, selectionText: '' });
    const enabled = field?.filter((item) => item.enabled && item.type !== 'separator');
    expect(enabled?.map(({ label }) => label)).toEqual(['粘贴', '全选']);
    const text = await desktop.rightClick({ isEditable: false, selectionText: 'vpn.example' });
    expect(text?.map(({ label }) => label)).toEqual(['复制']);

    await desktop.chooseInMenu('帮助', '报告问题');
    await expect(new ReportRoute(first.page, 'zh-hans').heading).toBeVisible();
    // Nobody is signed in: the window is shown.
    await desktop.press('CommandOrControl+Shift+C');
    await first.quit();

    const second = await launchHere({ languages });
    await expect.poll(() => width(second)).toBe(Math.round(usual / 1.2 ** 2));
    await expect.poll(() => surroundingsOf(second).menu()).not.toBeNull();
    await surroundingsOf(second).press('CommandOrControl+0');
    await expect.poll(() => width(second)).toBe(usual);
  });

test.describe('with a tunnel', () => {
  test.skip(withoutRoot, 'the laboratory needs root');

  test('the tray connects and disconnects with the window hidden; what happens by itself is told; quitting restores', async ({
    networkBefore,
    helper,
    lab,
    service,
    email,
    directory,
    launch,
  }) => {
    await using bus = await startMessageBus(`${directory}/session`);
    await using watcher = await startTrayWatcher(bus);
    const app = await launch({ env: { DBUS_SESSION_BUS_ADDRESS: bus.env.DBUS_SESSION_BUS_ADDRESS } });
    const desktop = surroundingsOf(app);
    const server = serverNames.first;
    const tooltip = async () => (await desktop.tray())?.tooltip;
    const isConnected = () =>
      expect.poll(tooltip, { timeout: waitLimit(45_000) }).toBe(`Waymaker: Connected to ${server}`);
    await arriveSignedIn(app.page, service, email);
    const connect = await chooseServer(app.page);
    await desktop.closeWindow();
    await expect.poll(() => isVisible(desktop)).toBe(false);
    await expect.poll(() => app.page.evaluate(() => document.hidden)).toBe(true);
    await desktop.clickTray();
    await expect.poll(() => isVisible(desktop)).toBe(true);
    await desktop.closeWindow();
    await expect.poll(() => isVisible(desktop)).toBe(false);

    const chosen = await app.page.evaluate(() =>
      (
        globalThis as unknown as { waymakerHost: { request(name: string): Promise<string> } }
      ).waymakerHost.request('server.chosen'),
    );
    await app.startSecondInstance(`waymaker://connect?server=${chosen}`);
    await expect.poll(() => question(desktop)).toBe(`Connect to ${server}?`);
    await app.startSecondInstance('waymaker://app/logout');
    await desktop.answer('Cancel');
    await expect.poll(() => desktop.messageBox()).toBeNull();
    expect(await tooltip()).toBe('Waymaker: Not connected');
    await desktop.closeWindow();
    await expect.poll(() => isVisible(desktop)).toBe(false);

    const off = (await desktop.tray())?.picture;
    await expect.poll(() => trayLabels(desktop)).toContain(`Connect to ${server}`);
    await desktop.chooseInTray(`Connect to ${server}`);
    await isConnected();
    expect((await desktop.tray())?.picture).not.toBe(off);
    expect(await notificationTitles(desktop), 'what the user has just done').toEqual([]);

    await helper.kill();
    await expect
      .poll(() => notificationTitles(desktop), { timeout: waitLimit(20_000) })
      .toEqual(['Connection lost']);
    await helper.start();
    await isConnected();
    await expect
      .poll(() => notificationTitles(desktop))
      .toEqual(['Connection lost', `Connected to ${server}`]);

    await desktop.clickNotification(1);
    await expect.poll(() => isVisible(desktop)).toBe(true);
    await expect(connect.status('connect.connected')).toBeVisible();
    await connect.switchOn('killSwitch');

    // The desktop's panel has gone: nothing would bring a hidden window back.
    await watcher[Symbol.asyncDispose]();
    await desktop.closeWindow();
    await expect.poll(() => question(desktop)).toBe('Waymaker is still running');
    await desktop.answer('Minimize');
    await expect.poll(async () => (await desktop.window()).isMinimized).toBe(true);

    await desktop.chooseInTray('Quit Waymaker');
    await expect.poll(() => question(desktop)).toBe('Disconnect and quit?');
    await desktop.answer('Cancel');
    await expect.poll(() => desktop.messageBox()).toBeNull();
    expect(await tooltip()).toBe(`Waymaker: Connected to ${server}`);
    await desktop.chooseInTray('Quit Waymaker');
    await expect.poll(() => desktop.messageBox()).not.toBeNull();
    await desktop.answer('Disconnect and quit');
    await app.ended;
    await expect.poll(() => lab.user.snapshot()).toBe(networkBefore);
  });
});
