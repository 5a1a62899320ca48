import { describe, expect, test } from 'vitest';
import { addresses, names, ports } from '../../lab/network/addresses.ts';
import { helperLabForEach } from '../support/lab-for-each.ts';
import type { TestClient } from '../support/callers/test-client.ts';
import { endProcess } from '../../lab/runs/process.ts';
import { isExhaustive } from '../../lab/runs/thoroughness.ts';

const net = helperLabForEach();

const wasConnected = ({ states }: TestClient) => states.some(({ state }) => state === 'connected');

if (isExhaustive)
  describe('a connection that cannot be made', () => {
    test('because the gateway is down', async () => {
      const session = await net.signIn();
      await net.lab.gateway.stop();
      const client = await net.attach();
      const reasonOf = async (address: string) => {
        const seen = client.states.length;
        await client.call('connect', net.request({ session, address }));
        return (await client.until('disconnected', { seen, where: ({ reason }) => reason !== undefined }))
          .reason;
      };
      expect(await reasonOf(addresses.gateway.ipv4)).toBe('gateway-refuses-connections');
      await expect.poll(() => net.log()).toContain('"reason":"gateway-refuses-connections"');
      await net.lab.user.run(['ip', 'route', 'add', 'unreachable', '203.0.113.77']);
      expect(await reasonOf('203.0.113.77')).toBe('gateway-without-route');
      await net.lab.user.run(['ip', 'route', 'del', 'unreachable', '203.0.113.77']);
      expect(await net.lab.user.snapshot()).toBe(net.initialSnapshot);
    });

    test('because TLS fails', async () => {
      const session = await net.signIn();
      await net.lab.gateway.stop();
      const client = await net.attach();
      const reason = async () => (await client.until('disconnected', { seen: 1 })).reason;
      const { ipv4 } = addresses.echo;
      // Speaks HTTP there.
      const plain = { host: ipv4, port: ports.http };
      await client.call('connect', net.request({ session, gateway: plain, address: ipv4 }));
      expect(await reason()).toBe('gateway-tls-failed');

      // Has no cipher in common with anybody, and says so in an alert.
      const at = `${addresses.gateway.ipv4}:${ports.gateway}`;
      const server = await net.lab.gatewayMachine.spawnUntil(
        ['openssl', 's_server', '-accept', at, '-www', '-nocert', '-tls1_2'].concat([
          '-cipher',
          'PSK-AES128-GCM-SHA256',
          '-psk',
          'aa',
        ]),
        /ACCEPT/,
      );
      const seen = client.states.length;
      await client.call('connect', net.request({ session }));
      if (net.engine === 'openconnect') {
        // It may as well want a certificate, which a sign-in would find out.
        await client.until('connecting', { seen, where: ({ phase }) => phase === 'authenticating' });
        await client.call('provideSession', { session });
      }
      const ended = await client.until('disconnected', {
        seen,
        where: (state) => state.reason !== undefined,
      });
      expect(ended.reason).toBe('gateway-tls-failed');
      const why = { openconnect: /A TLS fatal alert has been received/, own: /alert handshake failure/ };
      await expect.poll(() => net.log()).toMatch(why[net.engine]);
      await endProcess(server);
      expect(await net.lab.user.snapshot()).toBe(net.initialSnapshot);
    });

    test('because there is no user for the engine', async () => {
      await net.end('SIGTERM');
      await net.start({ args: ['--engine-user', 'no-such-user'] });
      const client = await net.attach();
      expect(client.states).toEqual([{ state: 'invalid', cause: 'engine-absent' }]);
      await client.call('connect', net.request({ session: await net.signIn() }));
      expect(await client.call('snapshot', {})).toEqual({ state: 'invalid', cause: 'engine-absent' });
      expect(await net.lab.user.snapshot()).toBe(net.initialSnapshot);
    });
  });

if (isExhaustive)
  test('another VPN that takes over the way to the gateway, and gives it back, is named in the log', async () => {
    const { user } = net.lab;
    const client = await net.connect();
    const seen = client.states.length;
    await user.run(['ip', 'link', 'add', 'vpn9', 'type', 'veth', 'peer', 'name', 'vpn9far']);
    await user.run(['ip', 'address', 'add', '10.99.0.2/24', 'dev', 'vpn9']);
    for (const end of ['vpn9', 'vpn9far']) await user.run(['ip', 'link', 'set', end, 'up']);
    await user.run(['ip', 'route', 'add', addresses.gateway.ipv4, 'dev', 'vpn9']);
    await client.until('connecting', { seen });
    const to = /the way to the gateway has changed.*"to":"direct vpn9 10\.99\.0\.2"/;
    await expect.poll(() => net.log()).toMatch(to);
    await user.run(['ip', 'link', 'delete', 'vpn9']);
    await client.until('connected', { seen, after: 'connecting' });
    await expect.poll(() => net.log()).toMatch(/the way to the gateway has changed.*"from":"direct vpn9/);
  });

describe('while a session is waited for', () => {
  test('one that the gateway refuses is asked for again', async () => {
    const { certificatePin } = await net.signIn();
    const client = await net.attach();
    const refused = { cookie: `webvpn=${'A'.repeat(43)}=`, certificatePin };
    await client.call('connect', net.request({ session: refused }));
    await client.until('connecting', { where: ({ phase }) => phase === 'authenticating' });
    // Blocked, but the gateway can be reached to sign in.
    expect(await net.lab.user.seenFrom()).toBeUndefined();
    await client.call('provideSession', { session: await net.signIn() });
    await client.until('connected');
    expect(await net.lab.user.seenFrom()).toBe(addresses.gateway.ipv4);
  });

  if (isExhaustive)
    test('a gateway that has a new valid key is signed in to once more, and that is no alarm', async () => {
      const session = await net.signIn();
      await net.lab.gateway.renewKey();
      await net.lab.gateway.restart();
      const client = await net.attach();
      await client.call('connect', net.request({ session }));
      await client.until('connecting', { where: ({ phase }) => phase === 'authenticating' });
      expect(await net.lab.user.seenFrom()).toBeUndefined();
      const renewed = await net.signIn();
      expect(renewed.certificatePin).not.toBe(session.certificatePin);
      await client.call('provideSession', { session: renewed });
      await client.until('connected');
      expect(await net.lab.user.seenFrom()).toBe(addresses.gateway.ipv4);
      expect(client.states.slice(1).map(({ state }) => state)).not.toContain('disconnected');
    });

  if (isExhaustive)
    test('the client that asked goes: the tunnel is given up', async () => {
      const client = await net.attach();
      await client.call('connect', net.request());
      const other = await net.attach();
      expect(other.states).toMatchObject([{ state: 'connecting', phase: 'authenticating' }]);
      client.socket.destroy();
      await other.until('disconnected', { where: ({ reason }) => reason === 'sign-in-cancelled' });
      expect(await net.lab.user.snapshot()).toBe(net.initialSnapshot);
    });

  if (isExhaustive)
    test('the client that asked goes, with the kill switch on: traffic stays blocked', async () => {
      const client = await net.attach();
      await client.call('connect', net.request({ killSwitch: true }));
      client.socket.destroy();
      const other = await net.attach();
      await other.call('provideSession', { session: await net.signIn() });
      await other.until('connected');
      await other.call('disconnect', {});
      expect(await net.lab.user.snapshot()).toBe(net.initialSnapshot);
    });

  if (isExhaustive)
    test('a disconnect ends the wait', async () => {
      const client = await net.attach();
      await client.call('connect', net.request());
      await client.call('disconnect', { reason: 'sign-in-refused' });
      expect(client.states.at(-1)).toEqual({ state: 'disconnected', reason: 'sign-in-refused' });
      expect(await net.lab.user.snapshot()).toBe(net.initialSnapshot);
    });
});

if (isExhaustive)
  test('a disconnect during the handshake cancels it', async () => {
    const client = await net.attach();
    const session = await net.signIn();
    const connecting = client.call('connect', net.request({ session }));
    await client.until('connecting');
    await client.call('disconnect', {});
    await connecting;
    expect(await client.call('snapshot', {})).toEqual({ state: 'disconnected' });
    expect(wasConnected(client)).toBe(false);
    expect(await net.lab.user.snapshot()).toBe(net.initialSnapshot);
    expect(await net.engines()).toEqual([]);
  });

if (isExhaustive)
  test('a disconnect while one connection takes the place of another ends that one, too', async () => {
    const client = await net.connect();
    const seen = client.states.length;
    const replaced = client.call('connect', net.request());
    // Its command has begun, and waits for the engine of the one before.
    await client.until('disconnecting', { seen });
    await client.call('disconnect', {});
    await replaced;
    expect(client.states.at(-1)).toEqual({ state: 'disconnected' });
    expect(await net.lab.user.snapshot()).toBe(net.initialSnapshot);
  });

test('a gateway with another key than verified is not connected to, and a connect while connected goes to another', async () => {
  const other = {
    gateway: { host: names.untrustedGateway, port: 443 },
    address: addresses.untrustedGateway.ipv4,
  };
  await net.lab.untrustedGateway.start();
  const session = await net.signIn();
  const client = await net.attach();
  await client.call('connect', net.request({ session, ...other }));
  // A gateway may have got a new key since: the client looks at it once more, while traffic is blocked.
  await client.until('connecting', { where: ({ phase }) => phase === 'authenticating' });
  expect(await net.lab.user.seenFrom()).toBeUndefined();
  await client.call('provideSession', { session });
  await client.until('disconnected', {
    seen: 1,
    where: ({ reason }) => reason === 'gateway-certificate-refused',
  });
  expect(wasConnected(client)).toBe(false);
  expect(await net.lab.user.snapshot()).toBe(net.initialSnapshot);

  await client.call('connect', net.request({ session: await net.signIn() }));
  await client.until('connected');
  const seen = client.states.length;
  await client.call('connect', { ...net.request(), ...other });
  // What is learnt of the first one may still be told before.
  const since = client.states.slice(seen).filter(({ state }) => state !== 'connected');
  expect(since).toMatchObject([
    { state: 'disconnecting', then: 'connecting' },
    { state: 'connecting', phase: 'authenticating' },
  ]);
  const asked = client.states.length;
  await client.call('provideSession', { session: await net.signIn(net.lab.untrustedGateway) });
  const connected = await client.until('connected', { seen: asked });
  expect(connected.gateway.host).toBe(names.untrustedGateway);
  await client.call('disconnect', {});
  expect(await net.lab.user.snapshot()).toBe(net.initialSnapshot);
});

describe('the way to the gateway', () => {
  test('is followed to another one, and away and back with the uplink, and by the last of several commands', async () => {
    const { user } = net.lab;
    const client = await net.attach();
    // Both before anything blocks the way to the gateway.
    const [first, last] = [await net.signIn(), await net.signIn()];
    await Promise.all([
      client.call('connect', net.request({ session: first })),
      client.call('disconnect', {}),
      client.call('connect', net.request()),
      client.call('disconnect', {}),
      client.call('connect', net.request({ session: last })),
    ]);
    await client.until('connected');
    expect(await net.lab.user.seenFrom()).toBe(addresses.gateway.ipv4);

    let seen = client.states.length;
    await user.run(['ip', 'address', 'add', '192.0.2.11/24', 'dev', 'uplink']);
    const viaRouter = ['default', 'via', addresses.router.ipv4, 'dev', 'uplink'];
    await user.run(['ip', 'route', 'replace', ...viaRouter, 'src', '192.0.2.11']);
    await client.until('connected', { seen, after: 'connecting' });
    const outside = await user.run(['ss', '-Hnt', 'dst', addresses.gateway.ipv4]);
    expect(outside).toContain('192.0.2.11');

    seen = client.states.length;
    await user.run(['ip', 'link', 'set', 'dev', 'uplink', 'down']);
    await client.until('connecting', { seen, where: ({ phase }) => phase === 'waiting' });
    await user.run(['ip', 'link', 'set', 'dev', 'uplink', 'up']);
    await user.run(['ip', 'route', 'add', ...viaRouter]);
    await client.until('connected', { seen, after: 'connecting' });
    expect(await net.lab.user.seenFrom()).toBe(addresses.gateway.ipv4);

    client.socket.destroy();
    const next = await net.attach();
    expect(next.states).toMatchObject([{ state: 'connected' }]);
    expect(await net.lab.user.seenFrom()).toBe(addresses.gateway.ipv4);
    await next.call('disconnect', {});
  });

  if (isExhaustive)
    test('falls silent and is open again: the tunnel comes back by itself', async () => {
      const client = await net.connect();
      const seen = client.states.length;
      await net.lab.setGatewayReachable(false);
      await client.until('connecting', { seen, limitMs: 45_000 });
      await net.lab.setGatewayReachable(true);
      await client.until('connected', { seen, after: 'connecting', limitMs: 45_000 });
      expect(await net.lab.user.seenFrom()).toBe(addresses.gateway.ipv4);
    });
});

if (isExhaustive)
  test('statistics go on counting when the engine is recreated', async () => {
    const client = await net.connect();
    await net.lab.user.probe.http4('x'.repeat(800));
    const first = await client.call('statistics', {});
    const seen = client.states.length;
    await net.killEngines();
    await client.until('connected', { seen, after: 'connecting' });
    const second = await client.call('statistics', {});
    expect(first.sent).toBeGreaterThan(800);
    expect(second.sent).toBeGreaterThanOrEqual(first.sent);
    expect(second.received).toBeGreaterThanOrEqual(first.received);
  });
