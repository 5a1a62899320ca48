import { addresses } from '../../lab/network/addresses.ts';
import { expect, test, withoutRoot } from '../fixtures.ts';
import { ConnectRoute } from '../routes/connect/connect-route.ts';
import { VerifyRoute } from '../routes/account/verify-route.ts';
import { Tabs } from '../routes/frame/tabs.ts';
import { chooseServer, connectTo, openConnectTab } from '../support/tunnel/connect.ts';
import { startIncompatibleHelper } from '../support/tunnel/incompatible-helper.ts';
import { refuseSignIns } from '../support/service/refuse-sign-ins.ts';
import { serverNames } from '../support/service/service.ts';
import { launchSignedIn } from '../support/tunnel/sign-in.ts';
import { protectedRecordsTo } from '../support/tunnel/tls-records.ts';
import { waitLimit } from '../../lab/runs/wait-limit.ts';

/** Content type of a TLS record that begins a handshake (RFC 8446 §5.1). */
const tlsHandshake = 22;

/** Bytes of a protected Finished message with SHA-384 and its tag (RFC 8446 §4.4.4, §5.2). */
const longestFinished = 4 + 48 + 1 + 16 + 1;
test.skip(withoutRoot, 'the laboratory needs root');

test.describe('the same path with something wrong', () => {
  test('wrong tunnel password: refused with its reason, the network is as it was', async ({
    signedIn: { page },
    service,
    email,
    lab,
    helper,
    networkBefore,
  }) => {
    // A session that was prepared while the password was right is none any more.
    await using _ = await refuseSignIns(lab.gateway);
    const connect = await chooseServer(page);
    await connect.connect.click();
    await expect(connect.says('reason.signInRefused')).toBeVisible();
    await expect(connect.status('connect.signInNeeded')).toBeVisible();
    expect(await lab.user.snapshot()).toBe(networkBefore);
    expect(helper.output).not.toContain('the gateway has named its terms');

    await test.step('whoever signs in again is asked for nothing but a code, and keeps everything', async () => {
      await connect.addFavourite.click();
      const codesBefore = await service.mailbox.countCodes(email);
      await connect.signInAgain.click();
      const verify = new VerifyRoute(page);
      await verify.type(await service.mailbox.code(email, codesBefore));
      await expect(connect.status('connect.disconnected')).toBeVisible();
      await connect.openServers();
      await expect(connect.favourites).toBeVisible();
    });
  });

  test('unknown gateway certificate: refused with a clear error, never connected, nothing secret sent', async ({
    signedIn: { page },
    lab,
    helper,
  }) => {
    // Another test may have used it as a server, which is in its log as well.
    const logged = (await lab.untrustedGateway.log()).length;
    await lab.untrustedGateway.start();
    try {
      const before = await lab.user.snapshot();
      const capture = await lab.capture(`host ${addresses.untrustedGateway.ipv4}`);
      const connect = await chooseServer(page, serverNames.untrusted);
      await connect.connect.click();
      await expect(connect.says('reason.gatewayCertificateRefused')).toBeVisible();
      await expect(connect.status('connect.disconnected')).toBeVisible();
      const packets = await capture.stop();
      expect(await lab.user.snapshot()).toBe(before);

      // TLS was begun, and nothing followed that could hold a request: the longest protected record is no
      // longer than the end of a handshake. The gateway that is trusted got longer ones.
      const refused = protectedRecordsTo(packets, addresses.untrustedGateway.ipv4);
      const toGateway = packets.filter(({ destination }) => destination === addresses.untrustedGateway.ipv4);
      expect(toGateway.some(({ payload }) => payload[0] === tlsHandshake)).toBe(true);
      expect(Math.max(0, ...refused)).toBeLessThan(longestFinished);
      expect(helper.output).not.toContain('the gateway has named its terms');
      const control = await lab.capture(`host ${addresses.gateway.ipv4}`);
      await connect.choose(serverNames.first);
      await connect.connect.click();
      await expect(connect.status('connect.connected')).toBeVisible();
      const trusted = protectedRecordsTo(await control.stop(), addresses.gateway.ipv4);
      expect(Math.max(...trusted)).toBeGreaterThan(longestFinished);
      const log = (await lab.untrustedGateway.log()).slice(logged);
      expect(log, 'positive control').not.toBe('');
      expect(log).not.toMatch(/new user session|user logged in|authenticat\w+ user/);
    } finally {
      await lab.untrustedGateway.stop();
    }
  });

  test('a helper that is absent, or of another protocol version, is told, and found by itself once it runs', async ({
    networkBefore,
    idleHelper,
    lab,
    service,
    launch,
    email,
  }) => {
    const incompatible = await startIncompatibleHelper(idleHelper.socket);
    const { page } = await launchSignedIn(launch, service, email);
    const connect = await openConnectTab(page);
    await expect(connect.says('cause.helperIncompatible')).toBeVisible();
    await expect(connect.connect).toHaveCount(0);
    expect(incompatible.methods).toEqual(expect.arrayContaining(['hello']));
    expect(incompatible.methods.filter((method) => method !== 'hello')).toEqual([]);
    await incompatible[Symbol.asyncDispose]();

    await expect(connect.status('cause.helperAbsentTitle')).toBeVisible({ timeout: waitLimit(30_000) });
    await expect(connect.connect).toHaveCount(0);
    expect(await lab.user.snapshot()).toBe(networkBefore);
    await idleHelper.start();
    await expect(connect.status('cause.helperAbsentTitle')).toBeHidden({ timeout: waitLimit(30_000) });
    await connectTo(page);
  });

  test('without the service, a server that was listed can still be connected to', async ({
    signedIn: { page },
    lab,
    service,
    helper,
  }) => {
    const connect = await chooseServer(page);
    await service.stop();
    try {
      await connect.connect.click();
      await expect(connect.status('connect.connected')).toBeVisible({ timeout: waitLimit(30_000) });
      expect((await lab.user.probe.http4('servicedown'))?.address).toBe(addresses.gateway.ipv4);
    } finally {
      await service.start();
    }
    expect(helper.output).toContain('the gateway has named its terms');
  });

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
