import { en } from '#shared/texts/en.ts';
import { startTrayWatcher } from '../../lab/desktop/tray-watcher.ts';
import { waitLimit } from '../../lab/runs/wait-limit.ts';
import { expect, test, withoutRoot } from '../fixtures.ts';
import { ConnectRoute } from '../routes/connect/connect-route.ts';
import { GatewayFormDialog } from '../routes/connect/gateway-form-dialog.ts';
import { chooseServer } from '../support/tunnel/connect.ts';
import { deviceIdOf } from '../support/service/device-id.ts';
import { electronBinary } from '../support/host/electron-binary.ts';
import { serverNames } from '../support/service/service.ts';
import { launchSignedIn } from '../support/tunnel/sign-in.ts';
import { expectNoNewNotices } from '../support/host/no-new-notices.ts';
import { notificationTitles, surroundingsOf } from '../support/host/surroundings-of.ts';

test.skip(withoutRoot, 'the laboratory needs root');
test.skip(electronBinary() !== undefined, 'real Electron’s tray cannot be reached from outside');

test.beforeEach(({ lab }) => lab.gateway.restart({ oneTimeCodes: true }));
test.afterEach(({ lab }) => lab.gateway.restart({ oneTimeCodes: false }));

test('with the window hidden: a connection from the tray opens it to ask, and one by itself is announced', async ({
  helper: _helper,
  keyring,
  launch,
  service,
  email,
  lab,
}) => {
  await using _ = await startTrayWatcher(keyring);
  const first = await launchSignedIn(launch, service, email, { env: keyring.env });
  const nextCode = await lab.gateway.addOneTimeCodes(await deviceIdOf(first.page));
  await chooseServer(first.page);
  await surroundingsOf(first).chooseInTray('Options', en['settings.connectAtStart']);
  await surroundingsOf(first).chooseInTray('Quit Waymaker');
  await first.ended;

  const app = await launch({ env: keyring.env, args: ['--hidden'] });
  const desktop = surroundingsOf(app);
  const isVisible = async () => (await desktop.window()).isVisible;
  const form = new GatewayFormDialog(app.page);
  await expect.poll(() => notificationTitles(desktop)).toEqual([en['gatewayForm.title']]);
  expect(await isVisible()).toBe(false);
  await desktop.clickNotification(0);
  await expect.poll(isVisible).toBe(true);
  await form.cancel.click();
  const connect = new ConnectRoute(app.page);
  await expect(connect.status('connect.disconnected')).toBeVisible();

  await desktop.closeWindow();
  await expect.poll(isVisible).toBe(false);
  const clickedAt = performance.now();
  await desktop.chooseInTray(`Connect to ${serverNames.first}`);
  await expect.poll(isVisible).toBe(true);
  await form.field('Password').fill(nextCode());
  await form.continue.click();
  await expect(connect.status('connect.connected')).toBeVisible({ timeout: waitLimit(30_000) });
  const before = [en['gatewayForm.title']];
  await expectNoNewNotices(desktop, { clickedAt, server: serverNames.first, before });
});
