import { addresses, names } from '../../lab/network/addresses.ts';
import { expect, test, withoutRoot } from '../fixtures.ts';
import { openConnectTab } from '../support/tunnel/connect.ts';
import { serverNames } from '../support/service/service.ts';
import { signIn } from '../support/tunnel/sign-in.ts';
import { addressesSeenByPages } from '../support/tunnel/user-browser.ts';

test.skip(withoutRoot, 'the laboratory needs root');

test('from sign-in to packets: mail, code, server, Connect, Disconnect; the network is as it was, byte for byte', async ({
  networkBefore,
  lab,
  service,
  helper,
  launch,
  email,
  directory,
}) => {
  expect(await addressesSeenByPages(lab, directory)).toEqual(addresses.user);
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
  await page.keyboard.press('Escape');
  await connect.addFavourite.click();
  await connect.connect.click();
  await expect(connect.status('connect.connected')).toBeVisible();
  // The service sees the gateway, as everybody does.
  await expect(connect.fact(connect.words('connect.worldAddress'))).toHaveText(addresses.gateway.ipv4);
  await connect.openDetails();
  const encryption = 'DTLS 1.2, AES-256-GCM';
  await expect(connect.fact(connect.words('connect.encryption'))).toHaveText(encryption);
  await connect.inSettings((settings) =>
    expect(settings.protocol).toHaveText(`AnyConnect · DTLS (UDP) · ${encryption}`),
  );
  await connect.openServers();
  await expect(connect.favourites).toBeVisible();
  await page.keyboard.press('Escape');

  expect(await addressesSeenByPages(lab, directory)).toEqual(addresses.gateway);
  expect(await lab.user.resolve(names.where)).toEqual(Object.values(addresses.inside).sort());
  const asked = await lab.gatewayMachine.queries();
  expect(asked.map(({ name }) => name)).toContain(names.where);
  expect(await lab.user.snapshot()).not.toBe(networkBefore);

  await connect.disconnect.click();
  await expect(connect.status('connect.disconnected')).toBeVisible();
  expect(await lab.user.snapshot()).toBe(networkBefore);
  expect((await lab.user.probe.http4('afterwards'))?.address).toBe(addresses.user.ipv4);
  expect(helper.output).not.toContain('unhandled');
});
