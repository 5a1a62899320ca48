import { expect, test } from 'vitest';
import { helperError, type ConnectRequest } from '#shared/helper/protocol.ts';
import { addresses } from '../../lab/network/addresses.ts';
import { watchLeaks } from '../../lab/packets/watch-leaks.ts';
import { probeOnce } from '../../lab/probes/probe.ts';
import { helperLabForEach } from '../support/lab-for-each.ts';
import type { TestClient } from '../support/callers/test-client.ts';

const net = helperLabForEach();

function withoutAddress(changes: Partial<ConnectRequest> = {}): ConnectRequest {
  const { address: _unknown, ...request } = net.request(changes);
  return request;
}

async function connectUnresolved(changes?: Partial<ConnectRequest>): Promise<TestClient> {
  const client = await net.attach();
  await client.call('connect', withoutAddress(changes));
  expect(client.states.at(-1)).toMatchObject({ state: 'connecting', phase: 'resolving' });
  return client;
}

test('a gateway without an address blocks everything, names included, until the address is given', async () => {
  const leaksWhile = await watchLeaks(net.lab, { send: (marker) => net.lab.user.probe.stream(marker, 5) });
  const client = await connectUnresolved();
  expect(await leaksWhile(() => probeOnce(net.lab.user))).toEqual([]);
  await expect(client.call('provideSession', { session: anySession })).rejects.toMatchObject({
    code: helperError.wrongState,
  });
  const seen = client.states.length;
  const leaks = await leaksWhile(async () => {
    await client.call('connect', net.request());
    await client.until('connecting', { seen, where: ({ phase }) => phase === 'authenticating' });
  });
  expect(leaks).toEqual([]);
  await client.call('provideSession', { session: await net.signIn() });
  await client.until('connected');
  await client.call('disconnect', {});
  expect(await net.lab.user.snapshot()).toBe(net.initialSnapshot);
});

test('a session that comes without an address is sent nowhere', async () => {
  const client = await connectUnresolved({ session: anySession });
  expect(await net.engines()).toEqual([]);
  await client.call('disconnect', {});
});

test('after a crash with the kill switch on, the next helper waits for the address again', async () => {
  await connectUnresolved({ killSwitch: true });
  await net.end('SIGKILL');
  await net.start();
  const next = await net.attach();
  expect(next.states).toMatchObject([{ state: 'connecting', phase: 'resolving' }]);
  expect(await net.lab.user.probe.http4('where')).toBeUndefined();
  await next.call('disconnect', {});
  expect(await net.lab.user.probe.http4('where')).toMatchObject({ address: addresses.user.ipv4 });
});

const anySession = { cookie: 'webvpn=abc', certificatePin: `pin-sha256:${'A'.repeat(43)}=` };
