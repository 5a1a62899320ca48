import { createHash } from 'node:crypto';
import { expect, test, withoutRoot } from '../fixtures.ts';
import { openSettings } from '../support/screens/open-settings.ts';
import { startHostileService } from '../support/service/hostile-service.ts';
import { launchSignedIn } from '../support/tunnel/sign-in.ts';
import { addresses } from '../../lab/network/addresses.ts';
import { connectTo, openConnectTab } from '../support/tunnel/connect.ts';
import { serverNames } from '../support/service/service.ts';

test.skip(withoutRoot, 'the laboratory needs root');

test.describe('spec §4, route mode', () => {
  test("spec §8: 'setting route failed' at once when the lists are too long for a PAC file, without a tunnel too", async ({
    launchHere,
    serviceHere,
    email,
  }) => {
    const digest = (index: number) => createHash('sha256').update(`${index}`).digest('hex');
    const routeDomains = Array.from(
      { length: 100_000 },
      (_, index) => `${digest(index).slice(0, 20)}.example`,
    );
    await using service = await startHostileService(serviceHere.apiUrl, {
      '/api/route/pac': { data: { routeDomains, blockedDomains: [] } },
    });
    const { page } = await launchSignedIn(launchHere, serviceHere, email, {
      env: { WAYMAKER_API_URL: service.apiUrl },
    });
    const settings = await openSettings(page);
    await settings.automatic.click();
    await expect(settings.says('error.routing')).toBeVisible();
    await expect(settings.global).toBeChecked();
    await page.reload();
    await expect(settings.global).toBeChecked();
  });

  test("spec §8: 'failed to get PAC config' while the service is down, and the choice stays what it was", async ({
    signedInHere,
    serviceHere,
  }) => {
    const { page } = signedInHere;
    const settings = await openSettings(page);
    await serviceHere.stop();
    try {
      await settings.automatic.click();
      await expect(settings.says('error.pac')).toBeVisible();
      await expect(settings.global).toBeChecked();
    } finally {
      await serviceHere.start();
    }
    await settings.automatic.check();
    await expect(settings.automatic).toBeChecked();
  });

  test('what was chosen, and the tunnel by it, are not the page’s: one that is loaded again finds both', async ({
    helper: _helper,
    lab,
    service,
    email,
    launch,
  }) => {
    const { page } = await launchSignedIn(launch, service, email);
    const connect = await openConnectTab(page);
    await connect.switchOn('automatic');
    await connect.choose(serverNames.first);
    await page.reload();
    await connect.expectOn('automatic');
    await expect(connect.chosen(serverNames.first)).toBeVisible();

    await connect.connect.click();
    await expect(connect.status('connect.connected')).toBeVisible();
    await connect.openDetails();
    const pacUrl = await connect.proxyConfiguration.innerText();
    // Nothing of the page is left for as long as another one takes to come.
    await page.goto('about:blank');
    expect((await lab.user.probe.http4('still-direct'))?.address).toBe(addresses.user.ipv4);
    await page.goBack();
    await expect(connect.status('connect.connected')).toBeVisible();
    await connect.expectOn('automatic');
    await expect(connect.chosen(serverNames.first)).toBeVisible();
    await connect.openDetails();
    await expect(connect.proxyConfiguration).toHaveText(pacUrl);

    await connect.switchOn('global');
    await connect.openDetails();
    await expect(connect.says('connect.proxyHint')).toBeHidden();
    await page.reload();
    await connect.expectOn('global');
    await expect(connect.status('connect.connected')).toBeVisible();
    expect((await lab.user.probe.http4('through'))?.address).toBe(addresses.gateway.ipv4);
  });

  test("spec §8: 'setting route failed' when the helper cannot, and the tunnel and the choice stay what they were", async ({
    idleHelper,
    launch,
    lab,
    service,
    email,
  }) => {
    await idleHelper.start(['--proxy-user', 'no-such-user']);
    const { page } = await launchSignedIn(launch, service, email);
    const connect = await connectTo(page);
    await connect.inSettings(async (settings) => {
      await settings.automatic.click();
      await expect(settings.says('error.routing')).toBeVisible();
      await expect(settings.global).toBeChecked();
    });
    await expect(connect.status('connect.connected')).toBeVisible();
    expect((await lab.user.probe.http4('still'))?.address).toBe(addresses.gateway.ipv4);
  });
});
