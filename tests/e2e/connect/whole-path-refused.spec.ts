import { addresses } from '../../lab/network/addresses.ts';
import { expect, test, withoutRoot } from '../fixtures.ts';
import { ConnectRoute } from '../routes/connect-route.ts';
import { Tabs } from '../routes/tabs.ts';
import { chooseServer, connectTo } from '../support/tunnel/connect.ts';
import { serverNames } from '../support/service/service.ts';
import { launchSignedIn } from '../support/tunnel/sign-in.ts';
import { isExhaustive } from '../../lab/runs/thoroughness.ts';
import { waitLimit } from '../../lab/runs/wait-limit.ts';

test.skip(withoutRoot, 'the laboratory needs root');

test.describe('the same path with something wrong', () => {
  test("spec §8: 'connection failed': a name that nobody knows, or a gateway that is down, told as such, and the network is as it was; without the service, a server that was listed can still be connected to", async ({
    signedIn: { page },
    lab,
    service,
    helper,
    networkBefore,
  }) => {
    const connect = await chooseServer(page, serverNames.unknown);
    await connect.connect.click();
    await expect(connect.says('reason.gatewayNameUnknown')).toBeVisible();
    expect(await lab.user.snapshot()).toBe(networkBefore);
    expect(helper.output).not.toContain('engine');

    await lab.gateway.stop();
    try {
      await connect.choose(serverNames.first);
      await connect.connect.click();
      await expect(connect.says('connect.failed')).toBeVisible();
      await expect(connect.says('reason.gatewayRefusesConnections')).toBeVisible();
      await expect(connect.status('connect.disconnected')).toBeVisible();
      expect(await lab.user.snapshot()).toBe(networkBefore);
    } finally {
      await lab.gateway.start();
    }

    await service.stop();
    try {
      await connect.connect.click();
      await expect(connect.status('connect.connected')).toBeVisible({ timeout: waitLimit(30_000) });
      expect((await lab.user.probe.http4('servicedown'))?.address).toBe(addresses.gateway.ipv4);
    } finally {
      await service.start();
    }
    expect(helper.output).toContain('Got CONNECT response');
  });

  if (isExhaustive)
    test('service down at start: a server of the last time can be connected to at once', async ({
      helper: _helper,
      lab,
      service,
      launch,
      email,
      keyring,
    }) => {
      const first = await launchSignedIn(launch, service, email, { env: keyring.env });
      await new Tabs(first.page).connect.click();
      await expect(new ConnectRoute(first.page).chosen(serverNames.first)).toBeVisible();
      await first.quit();
      await service.stop();
      const { page } = await launch({ env: keyring.env });
      try {
        await new Tabs(page).connect.click();
        await expect(new ConnectRoute(page).chosen(serverNames.first)).toBeVisible();
        await connectTo(page);
        expect((await lab.user.probe.http4('downatstart'))?.address).toBe(addresses.gateway.ipv4);
      } finally {
        await service.start();
      }
    });
});
