import { afterAll, beforeAll, expect, test } from 'vitest';
import { addresses } from '../../lab/network/addresses.ts';
import type { GatewaySettings } from '../../lab/gateway/gateway.ts';
import { createHelperLab, type HelperLab } from '../support/helper-lab.ts';
import { casesOf, isExhaustive } from '../../lab/runs/thoroughness.ts';

let net: HelperLab;

beforeAll(async () => {
  net = await createHelperLab({ gateway: false });
  await net.start();
});

afterAll(() => net[Symbol.asyncDispose]());

const routes = (count: number) =>
  Array.from({ length: count }, (_, index) => `route = 10.${index >> 8}.${index & 255}.0/24`);

/** Connects, sees that traffic goes through the tunnel, and disconnects; resolves to the device's MTU meanwhile. */
async function useTunnel(settings: Partial<GatewaySettings>): Promise<number> {
  await net.lab.gateway.restart({ options: [], mtu: undefined, ...settings });
  const client = await net.connect();
  expect(await net.lab.user.probe.http4('through')).toMatchObject({ address: addresses.gateway.ipv4 });
  const device = await net.lab.user.run(['ip', '-o', 'link', 'show', 'type', 'tun']);
  await client.call('disconnect', {});
  return Number(/ mtu (\d+) /.exec(device)?.[1]);
}

test('all traffic goes through the tunnel of a gateway that pushes 500 routes, and of one with no domain and an MTU of 510', async () => {
  await useTunnel({ options: routes(500) });
  // What is no search domain is left out, and named in the log.
  const mtu = await useTunnel({ options: ['default-domain = ~a;b|$(id)'], mtu: 510 });
  expect(mtu).toBeLessThanOrEqual(510);
  expect(net.log()).toContain('"values":"searchDomains"');
  expect(await net.lab.user.snapshot()).toBe(net.initialSnapshot);
});

test.each(casesOf({ usual: [], all: [3, 2_500] }))(
  'all traffic goes through the tunnel of a gateway that pushes %i routes',
  async (count) => {
    await useTunnel({ options: routes(count) });
    expect(await net.lab.user.snapshot()).toBe(net.initialSnapshot);
  },
);

if (isExhaustive)
  test('a gateway that pushes more routes than openconnect can pass on is given up by it, with the reason', async () => {
    await net.lab.gateway.restart({ options: routes(3_200), mtu: undefined });
    const client = await net.attach();
    await client.call('connect', net.request({ session: await net.signIn() }));
    if (net.engine === 'own') {
      await client.until('connected', { limitMs: 40_000 });
      await client.call('disconnect', {});
      return;
    }
    // The engine takes seconds for that many.
    await client.until('disconnected', {
      seen: 1,
      where: ({ reason }) => reason === 'configuration-failed',
      limitMs: 40_000,
    });
    expect(await net.lab.user.snapshot()).toBe(net.initialSnapshot);
  });

if (isExhaustive)
  test('an MTU of 9334 is used as far as it goes', async () => {
    const { user, internet, gatewayMachine } = net.lab;
    const links = [
      [user, 'uplink'],
      [internet, 'user0'],
      [internet, 'gateway0'],
      [gatewayMachine, 'uplink'],
    ] as const;
    for (const [machine, device] of links) {
      await machine.run(['ip', 'link', 'set', 'dev', device, 'mtu', '10000']);
    }
    const mtu = await useTunnel({ mtu: 9_500 });
    // Our own engine leaves room for what DTLS adds.
    expect(mtu).toBe(net.engine === 'own' ? 8_934 : 9_000);
    if (net.engine === 'openconnect') expect(net.log()).toContain('"values":"mtu"');
  });
