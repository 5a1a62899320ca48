import { expect, test } from 'vitest';
import { createHelperClient } from '../../../../src/main/tunnel/helper-client.ts';
import type { WayOut } from '../../../../src/main/way-out/way-out.ts';
import { startTestHelper } from '../support/helper.ts';
import { createTestLog } from '../support/log.ts';
import { destinationOf, gateway } from '../support/tunnel-states.ts';
import { createTestRequests } from '../support/tunnel-requests.ts';

const session = { cookie: 'webvpn=x', certificatePin: `pin-sha256:${'A'.repeat(43)}=` };
const one: WayOut = {
  protocol: 'http',
  host: 'one.example',
  port: 3128,
  addresses: ['192.0.2.1', '192.0.2.2'],
  credentials: { username: 'guest', password: 'secret', realm: 'Office' },
};
const other: WayOut = {
  ...one,
  host: 'other.example',
  addresses: ['192.0.2.8', '192.0.2.9'],
  credentials: { username: 'guest', password: 'of the other' },
};

async function withWay(
  way: WayOut | undefined,
  takesProxies: 'with-realms' | 'without-realms' = 'with-realms',
) {
  const helper = await startTestHelper({ takesAddresses: true, takesProxies });
  const { log } = createTestLog();
  const client = createHelperClient({ socketPath: helper.socketPath, version: '0.1.0', log });
  await client.ready;
  const now = { way };
  const requests = createTestRequests({
    helper: client,
    addresses: {
      known: () => [...(now.way?.addresses ?? [])],
      remembered: () => now.way?.addresses[0],
      remember: () => undefined,
    },
    proxyTo: () => now.way,
    log,
  });
  const last = (method: string) => helper.calls.findLast((call) => call.method === method)?.params;
  return {
    now,
    requests,
    last,
    async [Symbol.asyncDispose]() {
      client.close();
      await helper[Symbol.asyncDispose]();
    },
  };
}

test('a proxy’s password does not go to the address of a sign-in that went another way', async () => {
  await using at = await withWay(one);
  await at.requests.connectWith(destinationOf(gateway), { gateway, address: '203.0.113.1', session });
  expect(at.last('connect')).toMatchObject({
    address: '192.0.2.1',
    proxy: { protocol: 'http', port: 3128 },
    session: { proxyCredentials: one.credentials },
  });
  await at.requests.connectWith(destinationOf(gateway), { gateway, address: '192.0.2.2', session });
  expect(at.last('connect')).toMatchObject({ address: '192.0.2.2' });
});

test('a proxy’s password, and its addresses, do not go to a connection through another proxy', async () => {
  await using at = await withWay(one);
  const signedIn = { gateway, address: '192.0.2.1', session };
  await at.requests.connectWith(destinationOf(gateway), signedIn);
  await at.requests.provide(signedIn);
  expect(at.last('provideSession')).toEqual({ session: { ...session, proxyCredentials: one.credentials } });
  await at.requests.tellAddresses(gateway);
  expect(at.last('setAddresses')).toBeUndefined();
  at.now.way = { ...one, addresses: ['192.0.2.1', '192.0.2.3'] };
  await at.requests.tellAddresses(gateway);
  expect(at.last('setAddresses')).toEqual({ otherAddresses: ['192.0.2.1', '192.0.2.3'] });
  at.now.way = other;
  await at.requests.provide(signedIn);
  expect(at.last('provideSession')).toEqual({ session });
  await at.requests.tellAddresses(gateway);
  expect(at.last('setAddresses')).toEqual({ otherAddresses: ['192.0.2.1', '192.0.2.3'] });
});

test('a connection that an earlier process has begun gets the password of the proxy', async () => {
  await using at = await withWay(one);
  await at.requests.provide({ gateway, address: '192.0.2.1', session });
  expect(at.last('provideSession')).toEqual({ session: { ...session, proxyCredentials: one.credentials } });
});

test('a helper from before realms gets the password as it knows it', async () => {
  await using at = await withWay(one, 'without-realms');
  await at.requests.provide({ gateway, address: '192.0.2.1', session });
  const proxyCredentials = { username: 'guest', password: 'secret' };
  expect(at.last('provideSession')).toEqual({ session: { ...session, proxyCredentials } });
});
