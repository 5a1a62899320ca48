import { addresses, names } from '../../lab/network/addresses.ts';
import { waitLimit } from '../../lab/runs/wait-limit.ts';
import { expect, test, withoutRoot } from '../fixtures.ts';
import { openConnectTab } from '../support/tunnel/connect.ts';
import { serverNames } from '../support/service/service.ts';
import { signIn } from '../support/tunnel/sign-in.ts';

test.skip(withoutRoot, 'the laboratory needs root');

test("from sign-in to packets: mail, code, servers that cannot be reached (spec §8: 'connection failed'), Connect, by address too, Disconnect; the network is as it was, byte for byte", async ({
  networkBefore,
  lab,
  service,
  helper,
  launch,
  email,
}) => {
  const { user, gateway, echo, inside } = addresses;
  const seen = async () => {
    const { http4, http6 } = lab.user.probe;
    return [(await http4('whole-path'))?.address, (await http6('whole-path'))?.address];
  };
  expect(await seen()).toEqual([user.ipv4, user.ipv6]);
  expect(await lab.user.resolve(names.inside)).toEqual([]);

  const { page } = await launch();
  // As most users have it: with all that moves.
  await page.emulateMedia({ reducedMotion: 'no-preference' });
  await signIn(page, service, email);
  const connect = await openConnectTab(page);
  // Chosen without a click, so that the first one may be on Connect.
  await expect(connect.chosen(serverNames.first)).toBeVisible();
  await expect(connect.status('connect.disconnected')).toBeVisible();
  await connect.openServers();
  await connect.measure.click();
  await expect(connect.server(serverNames.first)).toContainText(/\d ms/);
  await expect(connect.server(serverNames.unknown)).toContainText('No answer');
  await connect.server(serverNames.unknown).click();
  await connect.connect.click();
  await expect(connect.says('reason.gatewayNameUnknown')).toBeVisible();
  expect(await lab.user.snapshot(), 'no such name').toBe(networkBefore);
  expect(helper.output, 'no such name').not.toContain('engine');
  await connect.choose(serverNames.first);
  await lab.gateway.stop();
  try {
    await connect.connect.click();
    await expect(connect.says('connect.failed')).toBeVisible();
    await expect(connect.says('reason.gatewayRefusesConnections')).toBeVisible();
    await expect(connect.status('connect.disconnected')).toBeVisible();
    expect(await lab.user.snapshot(), 'a gateway that is down').toBe(networkBefore);
  } finally {
    await lab.gateway.start();
  }

  await connect.addFavourite.click();
  await connect.connect.click();
  await expect(connect.status('connect.connected')).toBeVisible({ timeout: waitLimit(30_000) });
  // The service sees the gateway, as everybody does.
  await expect(connect.fact(connect.words('connect.worldAddress'))).toHaveText(gateway.ipv4);
  await connect.openDetails();
  const encryption = 'DTLS 1.2, AES-256-GCM';
  await expect(connect.fact(connect.words('connect.encryption'))).toHaveText(encryption);
  await connect.openServers();
  await expect(connect.favourites).toBeVisible();
  await page.keyboard.press('Escape');
  expect(await seen()).toEqual([gateway.ipv4, gateway.ipv6]);
  expect(await lab.user.resolve(names.where)).toEqual(Object.values(inside).sort());
  const asked = await lab.gatewayMachine.queries();
  expect(asked.map(({ name }) => name)).toContain(names.where);
  expect(await lab.user.snapshot()).not.toBe(networkBefore);

  await connect.inSettings(async (settings) => {
    await expect(settings.protocol).toHaveText(`AnyConnect · DTLS (UDP) · ${encryption}`);
    await settings.switchOn(settings.byAddress);
    // As long as nothing is chosen, everything goes through the tunnel.
    expect(await seen()).toEqual([gateway.ipv4, gateway.ipv6]);
    await settings.switchOn(settings.country('China'));
    expect(await seen()).toEqual([user.ipv4, user.ipv6]);
    await settings.prefixes.fill('203.0.113.80/33');
    await settings.prefixes.press('Enter');
    await expect(settings.says('routing.prefixesInvalid')).toBeVisible();
    await settings.prefixes.fill(`${echo.ipv4}，${echo.ipv6.toUpperCase()}`);
    await settings.prefixes.press('Enter');
    await expect(settings.prefixes).toHaveValue(`${echo.ipv4}/32, ${echo.ipv6}/128`);
    await expect.poll(seen).toEqual([gateway.ipv4, gateway.ipv6]);
    await settings.policy.selectOption({ index: 1 });
    await expect.poll(seen).toEqual([user.ipv4, user.ipv6]);
  });
  await page.reload();
  await connect.expectOn('byAddress');
  await expect(connect.status('connect.connected')).toBeVisible();

  await connect.disconnect.click();
  await expect(connect.status('connect.disconnected')).toBeVisible();
  expect(await lab.user.snapshot()).toBe(networkBefore);
  expect(await seen()).toEqual([user.ipv4, user.ipv6]);
  expect(helper.output).not.toContain('unhandled');
});
