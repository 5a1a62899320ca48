import { beforeEach, expect, test } from 'vitest';
import { helperError } from '#shared/helper/protocol.ts';
import { addresses } from '../../../lab/network/addresses.ts';
import { watchLeaks } from '../../../lab/packets/watch-leaks.ts';
import { eventually } from '../../../lab/runs/process.ts';
import { attachTwoUsers } from '../../support/callers/attach-as.ts';
import type { TestClient } from '../../support/callers/test-client.ts';
import {
  engineGone,
  hold,
  holdRequestOf,
  isAnsweredInTime,
  noConnection,
  turnsBeforeDatagrams,
} from '../../support/held-connections.ts';
import { helperLabForEach } from '../../support/lab-for-each.ts';

/** The tunnel's own connection to the gateway, which is made while somebody signs in after the click. */

const net = helperLabForEach({ engine: 'own' });
const { ipv4 } = addresses.gateway;
let client: TestClient;

beforeEach(async () => {
  client = await net.attach();
});

const notNow = expect.objectContaining({ code: helperError.wrongState });
const isUsed = () => net.log().includes('the connection that was held is used');

test('once there is a session, the tunnel takes one turn with the gateway, after two connections and nothing else', async () => {
  const leaksWhile = await watchLeaks(net.lab);
  await client.call('connect', net.request({ killSwitch: true }));
  const leaks = await leaksWhile(async () => {
    const withGateway = await net.lab.capture(`host ${ipv4}`);
    const packets = await eventually('the gateway answers in time', async () => {
      const session = await net.signIn();
      await hold(net, client, session);
      expect(await withGateway.packets()).not.toEqual([]);
      const seen = client.states.length;
      await client.call('provideSession', { session });
      await client.until('connected', { seen, where: ({ transport }) => transport === 'dtls' });
      const captured = await withGateway.packets();
      if (isAnsweredInTime(net)) return captured;
      net.forgetLog();
      await client.call('connect', net.request({ killSwitch: true }));
      return undefined;
    });
    await withGateway.stop();
    expect(packets.filter(({ isSyn }) => isSyn)).toEqual([]);
    expect(turnsBeforeDatagrams(packets, ipv4)).toBe(1);
    expect(isUsed()).toBe(true);
  });
  expect(leaks).toEqual([]);
  expect(await net.lab.user.probe.http4('through')).toMatchObject({ address: ipv4 });
});

test('a connection is not held to another place than the one that is being connected to', async () => {
  await client.call('connect', net.request({ killSwitch: true }));
  const session = await net.signIn();
  const elsewhere = [
    { address: addresses.echo.ipv4 },
    { otherAddresses: [addresses.echo.ipv4] },
    { gateway: { host: 'other.example.net', port: 443 } },
    { gateway: { ...net.request().gateway, port: 22 } },
    { proxy: { protocol: 'http', port: 3128 } },
  ] as const;
  for (const changes of elsewhere)
    await expect(
      client.call('holdConnection', holdRequestOf(net, session, changes as object)),
    ).rejects.toEqual(notNow);
  expect(await net.engines()).toEqual([]);
});

test('another user gets no held connection during a sign-in', async () => {
  const [one, other] = await attachTwoUsers(net);
  try {
    await one.call('connect', net.request({ killSwitch: true }));
    const session = await net.signIn();
    await expect(other.call('holdConnection', holdRequestOf(net, session))).rejects.toMatchObject({
      code: helperError.notOwner,
    });
    expect(await net.engines()).toEqual([]);
    await one.call('disconnect', {});
  } finally {
    one[Symbol.dispose]();
    other[Symbol.dispose]();
  }
});

test('a held connection is closed when the user disconnects before there is a session', async () => {
  await client.call('connect', net.request({ killSwitch: true }));
  await hold(net, client, await net.signIn());
  await client.call('disconnect', {});
  await noConnection(net);
  await engineGone(net);
});

test('where the gateway has another key for the session than it showed there, another one is made', async () => {
  await client.call('connect', net.request());
  const session = await net.signIn();
  const certificatePin = `pin-sha256:${'A'.repeat(43)}=`;
  await client.call('holdConnection', holdRequestOf(net, { ...session, certificatePin }));
  await client.call('provideSession', { session });
  await client.until('connected');
  expect(isUsed()).toBe(false);
});
