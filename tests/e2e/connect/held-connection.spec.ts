import path from 'node:path';
import type { Lab } from '../../lab/lab.ts';
import { startNetworkManager } from '../../lab/desktop/network-manager.ts';
import { startTrayWatcher } from '../../lab/desktop/tray-watcher.ts';
import { words } from '../../lab/runs/process.ts';
import { waitLimit } from '../../lab/runs/wait-limit.ts';
import { expect, test, withoutRoot } from '../fixtures.ts';
import { Tabs } from '../routes/frame/tabs.ts';
import { electronBinary } from '../support/host/electron-binary.ts';
import { surroundingsOf } from '../support/host/surroundings-of.ts';
import { serverNames } from '../support/service/service.ts';
import { chooseServer } from '../support/tunnel/connect.ts';
import { launchSignedIn } from '../support/tunnel/sign-in.ts';

test.skip(withoutRoot, 'the laboratory needs root');
test.skip(electronBinary() !== undefined, 'real Electron’s tray cannot be reached from outside');

/** With whom a gateway has connections, as its own machine sees it. */
async function connectionsAt({ gatewayMachine, gateway }: Lab): Promise<string[]> {
  const all = await gatewayMachine.run(
    words(`ss -Hnt state established src ${gateway.address.ipv4} sport = :443`),
  );
  return all
    .split('\n')
    .filter(Boolean)
    .map((line) => line.trim().split(/\s+/).at(3) ?? line);
}

test('the gateway has a connection ready while somebody looks at the page, except on a metered network', async ({
  lab,
  helper,
  service,
  email,
  keyring,
  launch,
  directory,
}) => {
  // Of some that the test before has left on this machine, the gateway may not have heard the end.
  const before = new Set(await connectionsAt(lab));
  const count = async () => (await connectionsAt(lab)).filter((peer) => !before.has(peer)).length;
  const expectOne = () => expect.poll(count, { timeout: waitLimit(15_000) }).toBe(1);
  const expectNone = () => expect.poll(count, { timeout: waitLimit(15_000) }).toBe(0);
  await using manager = await startNetworkManager(path.join(directory, 'networks'));
  await using _ = await startTrayWatcher(keyring);
  const env = { ...keyring.env, ...manager.env };
  await manager.joinWifi('home');
  const app = await launchSignedIn(launch, service, email, { env });
  const { page } = app;
  const desktop = surroundingsOf(app);
  const connect = await chooseServer(page, serverNames.first);
  await expect(connect.status('connect.disconnected')).toBeVisible();
  await expectOne();
  await expect.poll(() => helper.output).toContain('TLS is held ready');

  await new Tabs(page).account.click();
  await expectNone();
  await new Tabs(page).connect.click();
  await expectOne();

  await desktop.closeWindow();
  await expect.poll(async () => (await desktop.window()).isVisible).toBe(false);
  await expectNone();
  await desktop.clickTray();
  await expectOne();

  await manager.setMetered(true);
  await expectNone();
  const from = helper.output.length;
  await manager.setMetered(false);
  await expectOne();
  await expect.poll(() => helper.output.slice(from)).toContain('TLS is held ready');

  await connect.connect.click();
  await expect(connect.status('connect.connected')).toBeVisible({ timeout: waitLimit(30_000) });
  await expect.poll(() => helper.output).toContain('the connection that was held is used');
  expect((await lab.user.probe.http4('held'))?.address).toBe(lab.gateway.address.ipv4);
  await connect.disconnect.click();
  await expect(connect.status('connect.disconnected')).toBeVisible();
});
