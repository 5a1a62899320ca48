import type { Locator, Page } from 'playwright/test';
import { addresses } from '../../lab/network/addresses.ts';
import type { Lab } from '../../lab/lab.ts';
import { startTrayWatcher } from '../../lab/desktop/tray-watcher.ts';
import { waitLimit } from '../../lab/runs/wait-limit.ts';
import { expect, test, withoutRoot } from '../fixtures.ts';
import { ConnectRoute } from '../routes/connect/connect-route.ts';
import { LoginRoute } from '../routes/account/login-route.ts';
import { chooseServer, connectTo } from '../support/tunnel/connect.ts';
import { electronBinary } from '../support/host/electron-binary.ts';
import { enginePids } from '../support/tunnel/engine.ts';
import type { TestHelper } from '../support/tunnel/helper.ts';
import { arriveSignedIn, launchSignedIn } from '../support/tunnel/sign-in.ts';
import { askHost } from '../support/host/ask-host.ts';
import { expectNoNewNotices } from '../support/host/no-new-notices.ts';
import { surroundingsOf } from '../support/host/surroundings-of.ts';
import { serverNames } from '../support/service/service.ts';

/** What people do who do not wait for the app. */

test.skip(withoutRoot, 'the laboratory needs root');

const untilConnected = { timeout: waitLimit(30_000) };
const seenByFarSide = async (lab: Lab) => (await lab.user.probe.http4('impatient'))?.address;

/** How far a connection has come when the user does something else; `from`: where the helper's output of it begins. */
const moments = {
  'at once': async () => undefined,
  'once the engine runs': (helper: TestHelper, from = 0) =>
    expect.poll(() => helper.output.slice(from), { intervals: [50] }).toContain('"message":"engine"'),
} as const;

const soonOrLate = ['at once', 'once the engine runs'] as const;

const signOut = (page: Page) =>
  page.evaluate(() =>
    (
      globalThis as unknown as { waymakerHost: { request(name: string, input: unknown): Promise<unknown> } }
    ).waymakerHost.request('session.signOut', { by: 'user' }),
  );

/** The second click of a double click, by which time the button may be another one. */
async function clickAgain(page: Page, button: Locator): Promise<void> {
  await button.hover();
  await page.mouse.down({ clickCount: 2 });
  await page.mouse.up({ clickCount: 2 });
}

test('a double click connects or disconnects as one does, and signing out while connecting ends it for good', async ({
  signedIn,
  helper,
  service,
  lab,
  email,
  networkBefore,
}) => {
  const { page } = signedIn;
  const connect = await chooseServer(page);
  await connect.connect.click();
  await clickAgain(page, connect.cancel.or(connect.disconnect));
  await expect(connect.status('connect.connected')).toBeVisible(untilConnected);
  await connect.disconnect.click();
  await expect(connect.status('connect.disconnected')).toBeVisible();
  await clickAgain(page, connect.connect);
  // The app answers in order.
  expect(await askHost(page, 'tunnel.snapshot')).toMatchObject({ state: 'disconnected' });
  await expect(connect.status('connect.disconnected')).toBeVisible();
  expect(await lab.user.snapshot()).toBe(networkBefore);

  // Two single ones are two wishes.
  await connect.connect.click();
  await connect.cancel.click();
  await expect(connect.status('connect.disconnected')).toBeVisible();
  await expect.poll(() => lab.user.snapshot()).toBe(networkBefore);

  for (const moment of soonOrLate) {
    const from = helper.output.length;
    await connect.connect.click();
    await moments[moment](helper, from);
    await signOut(page);
    await expect(new LoginRoute(page).heading).toBeVisible();
    await expect.poll(() => lab.user.snapshot()).toBe(networkBefore);
    await arriveSignedIn(page, service, `${moment.replaceAll(' ', '-')}-${email}`);
    const after = await chooseServer(page);
    await expect(after.status('connect.disconnected')).toBeVisible();
    expect(await enginePids(lab)).toEqual([]);
    expect(await lab.user.snapshot()).toBe(networkBefore);
  }
});

for (const moment of soonOrLate) {
  const comes = moments[moment];
  test.describe(`while connecting, ${moment}`, () => {
    test('closing the window leaves it alone, and quitting ends it, so that the next start finds nothing of it', async ({
      helper,
      keyring,
      launch,
      service,
      email,
      lab,
      networkBefore,
    }) => {
      test.skip(electronBinary() !== undefined, 'real Electron’s tray cannot be reached from outside');
      await using _ = await startTrayWatcher(keyring);
      const app = await launchSignedIn(launch, service, email, { env: keyring.env });
      const connect = await chooseServer(app.page);
      const clickedAt = performance.now();
      await connect.connect.click();
      await comes(helper);
      const desktop = surroundingsOf(app);
      await desktop.closeWindow();
      await desktop.closeWindow();
      await expect.poll(async () => (await desktop.window()).isVisible).toBe(false);
      await expect.poll(() => seenByFarSide(lab), untilConnected).toBe(addresses.gateway.ipv4);
      await desktop.clickTray();
      await expect(connect.status('connect.connected')).toBeVisible(untilConnected);
      await expectNoNewNotices(desktop, { clickedAt, server: serverNames.first });
      await connect.disconnect.click();
      await expect(connect.status('connect.disconnected')).toBeVisible();

      const from = helper.output.length;
      await connect.connect.click();
      await comes(helper, from);
      // Twice, as nothing seems to happen.
      await desktop.chooseInTray('Quit Waymaker');
      await desktop.chooseInTray('Quit Waymaker');
      await app.ended;
      expect(await lab.user.snapshot()).toBe(networkBefore);
      const next = await launch({ env: keyring.env });
      await expect(new ConnectRoute(next.page).status('connect.disconnected')).toBeVisible();
      expect(await enginePids(lab)).toEqual([]);
    });
  });
}

test('quitting while the tunnel ends does not keep it, whatever is set', async ({
  helper: _helper,
  launch,
  service,
  email,
  lab,
  networkBefore,
}) => {
  test.skip(electronBinary() !== undefined, 'real Electron’s tray cannot be reached from outside');
  const app = await launchSignedIn(launch, service, email);
  const connect = await connectTo(app.page);
  const desktop = surroundingsOf(app);
  await desktop.chooseInTray('Options', 'Stay connected after quitting');
  await connect.disconnect.click();
  await desktop.chooseInTray('Quit Waymaker');
  await app.ended;
  await expect.poll(() => lab.user.snapshot()).toBe(networkBefore);
  expect(await seenByFarSide(lab)).toBe(addresses.user.ipv4);
});
