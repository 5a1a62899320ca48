import { chmod } from 'node:fs/promises';
import { addresses, names, ports } from '../../lab/network/addresses.ts';
import { attachAs, socketOf } from '../../helper/support/callers/attach-as.ts';
import { expect, test, withoutRoot } from '../fixtures.ts';
import { openConnectTab } from '../support/tunnel/connect.ts';
import { launchSignedIn } from '../support/tunnel/sign-in.ts';

test.skip(withoutRoot, 'the laboratory needs root');

/** Two users of one computer, of numbers that no accounts have. */
const [owner, self] = [64_950, 64_951];

test('another user’s connection is shown, with nothing to press, and one’s own can be made after it', async ({
  idleHelper,
  lab,
  launch,
  service,
  email,
  directory,
}) => {
  // The helper's socket is in it, and not only root has to get there.
  await chmod(directory, 0o711);
  await idleHelper.start([owner, self].flatMap((uid) => ['--allow-user', String(uid)]));
  const net = { lab, socket: idleHelper.socket };
  const { page } = await launchSignedIn(launch, service, email, {
    env: { WAYMAKER_HELPER_SOCKET: await socketOf(net, self) },
  });
  const connect = await openConnectTab(page);
  await expect(connect.connect).toBeEnabled();

  using other = await attachAs(net, owner);
  await other.call('connect', {
    gateway: { host: names.gateway, port: ports.gateway },
    address: addresses.gateway.ipv4,
    routing: { mode: 'global', localNetwork: false },
    killSwitch: true,
  });
  await expect(connect.says('connect.ownedByOther')).toBeVisible();
  await expect(connect.status('connect.connecting')).toBeVisible();
  for (const button of [connect.connect, connect.cancel, connect.disconnect, connect.unblock]) {
    await expect(button).toBeHidden();
  }
  await other.call('disconnect', { reason: 'session-ended' });
  await expect(connect.status('connect.blocked')).toBeVisible();
  await expect(connect.says('connect.ownedByOther')).toBeVisible();
  await expect(connect.says('connect.blockedText')).toBeHidden();
  await expect(connect.unblock).toBeHidden();

  await other.call('disconnect', {});
  await expect(connect.says('connect.ownedByOther')).toBeHidden();
  await expect(connect.connect).toBeEnabled();
});
