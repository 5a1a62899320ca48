import { afterAll, beforeAll, expect, test } from 'vitest';
import { addresses } from '../lab/addresses.ts';
import type { GatewaySettings } from '../lab/gateway.ts';
import { createHelperLab, type HelperLab } from './support/helper-lab.ts';

let net: HelperLab;

beforeAll(async () => {
  net = await createHelperLab({ gateway: false });
  await net.start();
});

afterAll(() => net[Symbol.asyncDispose]());

const routes = (count: number) =>
  Array.from({ length: count }, (_, index) => `route = 10.${index >> 8}.${index & 255}.0/24`);

test.each<[string, Partial<GatewaySettings>]>([
  ['pushes routes for a part of the network', { options: routes(3) }],
  ['pushes 500 routes', { options: routes(500) }],
  ['pushes 2,500 routes', { options: routes(2_500) }],
  ['pushes a search domain that is none', { options: ['default-domain = ~a;b|$(id)'] }],
  ['pushes an MTU of 510', { mtu: 510 }],
  ['pushes an MTU of 9334', { mtu: 9334 }],
])('all traffic goes through the tunnel of a gateway that %s', async (_name, settings) => {
  await net.lab.gateway.restart({ options: [], mtu: undefined, ...settings });
  const client = await net.connect();
  expect(await net.lab.user.probe.http4('through')).toMatchObject({ address: addresses.gateway.ipv4 });
  await client.call('disconnect', {});
  expect(await net.lab.user.snapshot()).toBe(net.asFound);
});

test('a gateway that pushes more routes than openconnect can pass on is given up, with the reason', async () => {
  await net.lab.gateway.restart({ options: routes(3_200), mtu: undefined });
  const client = await net.attach();
  await client.call('connect', net.request({ session: await net.signIn() }));
  // The engine takes seconds for that many.
  await client.until('disconnected', {
    seen: 1,
    where: ({ reason }) => reason === 'configuration-failed',
    limitMilliseconds: 40_000,
  });
  expect(await net.lab.user.snapshot()).toBe(net.asFound);
});
