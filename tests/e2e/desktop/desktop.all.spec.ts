import type { Page } from 'playwright/test';
import { askHost } from '../support/host/ask-host.ts';
import type { DesktopApp, Surroundings } from '../support/host/desktop-app.ts';
import { startMessageBus } from '../../lab/desktop/message-bus.ts';
import { startTrayWatcher } from '../../lab/desktop/tray-watcher.ts';
import { expect, test } from '../fixtures.ts';
import { LoginRoute } from '../routes/account/login-route.ts';
import { ReportRoute } from '../routes/desktop/report-route.ts';
import { electronBinary } from '../support/host/electron-binary.ts';
import { surroundingsOf, trayLabels } from '../support/host/surroundings-of.ts';

test.skip(
  electronBinary() !== undefined,
  "what surrounds real Electron's window cannot be seen from outside",
);

const isVisible = async (desktop: Surroundings) => (await desktop.window()).isVisible;

/** In two minutes of its time a page asks the app nothing, once it has loaded: one that does would never stop to. */
async function expectQuiet(page: Page, desktop: Surroundings): Promise<void> {
  const askedMeanwhile = async () => {
    const before = desktop.asked();
    await page.clock.runFor(120_000);
    // This one is counted, after all that came before it.
    await askHost(page, 'session.get');
    return desktop.asked() - before - 1;
  };
  await expect.poll(askedMeanwhile).toBe(0);
}

/** A desktop session with a place for the app's icon. */
async function startTraySession(directory: string) {
  await using ends = new AsyncDisposableStack();
  const bus = ends.use(await startMessageBus(`${directory}/session`));
  ends.use(await startTrayWatcher(bus));
  const ended = ends.move();
  return {
    env: { DBUS_SESSION_BUS_ADDRESS: bus.env.DBUS_SESSION_BUS_ADDRESS },
    [Symbol.asyncDispose]: () => ended.disposeAsync(),
  };
}

test.describe('a session that shows tray icons', () => {
  test('closing hides the window, which then asks nothing, and a click or a second start brings it back', async ({
    launchHere,
    directory,
  }) => {
    await using session = await startTraySession(directory);
    const { env } = session;
    const app = await launchHere({ env });
    const desktop = surroundingsOf(app);
    await app.page.clock.install();
    await app.page.reload();
    await expect(new LoginRoute(app.page).heading).toBeVisible();

    await desktop.closeWindow();
    await expect.poll(() => isVisible(desktop)).toBe(false);
    await expect.poll(() => app.page.evaluate(() => document.hidden)).toBe(true);
    await expectQuiet(app.page, desktop);
    const asked = desktop.asked();

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
    // The display that it was on is unplugged meanwhile.
    await desktop.moveWindow({ x: 2000, y: 100, width: 1000, height: 800 });
    await app.startSecondInstance('waymaker://connect?server=--evil');
    await expect.poll(() => isVisible(desktop)).toBe(true);
    expect((await desktop.window()).bounds).toEqual({ x: 460, y: 120, width: 1000, height: 800 });
    expect(await desktop.messageBox(), 'nobody is signed in').toBeNull();

    await desktop.chooseInTray('Quit Waymaker');
    await app.ended;
  });

  test('an app that the system starts at login has its window hidden until it is wanted', async ({
    launchHere,
    directory,
  }) => {
    await using session = await startTraySession(directory);
    const { env } = session;
    const app = await launchHere({ env, args: ['--hidden'] });
    const desktop = surroundingsOf(app);
    await expect(new LoginRoute(app.page).heading).toBeVisible();
    await expect.poll(() => trayLabels(desktop)).toContain('Open Waymaker');
    expect(await isVisible(desktop)).toBe(false);
    await app.page.clock.install();
    await app.page.reload();
    await expect(new LoginRoute(app.page).heading).toBeVisible();
    await expect.poll(() => app.page.evaluate(() => document.hidden)).toBe(true);
    await expectQuiet(app.page, desktop);
    expect(await isVisible(desktop)).toBe(false);
    await desktop.chooseInTray('Open Waymaker');
    await expect.poll(() => isVisible(desktop)).toBe(true);
  });

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
    await surroundingsOf(third).moveWindow({ ...bounds, y: 50 });
    await surroundingsOf(third).endSession();
    const fourth = await launchHere();
    expect((await surroundingsOf(fourth).window()).bounds).toEqual({ ...bounds, y: 50 });
  });
});

test('without a place for an icon, closing the window of an idle app quits', async ({ launchHere }) => {
  const app = await launchHere();
  await expect(new LoginRoute(app.page).heading).toBeVisible();
  await expect.poll(() => trayLabels(surroundingsOf(app))).toBeDefined();
  await surroundingsOf(app).closeWindow();
  await app.ended;
});

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

test('the menu bar is hidden and there for its keys, what is made larger stays so, and text fields have a menu', async ({
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
