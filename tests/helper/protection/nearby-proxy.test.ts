import { expect, test } from 'vitest';
import type { Routing } from '#shared/tunnel/state.ts';
import { addresses } from '../../lab/network/addresses.ts';
import { placeGatewayNearby } from '../../lab/network/nearby-gateway.ts';
import { proxyPorts, startOnlyProxy } from '../../lab/network/web-proxy.ts';
import { words } from '../../lab/runs/process.ts';
import { createHelperLab } from '../support/helper-lab.ts';
import { seenBy } from '../support/programs/seen-by.ts';

const { neighbour, userPrivate, direct, echo } = addresses;

const open: Routing[] = [
  { mode: 'global', localNetwork: true },
  { mode: 'ip', policy: 'exclude', routeIps: [`${direct.ipv4}/32`], localNetwork: true },
  { mode: 'ip', policy: 'include', routeIps: ['192.168.0.0/16', `${echo.ipv4}/32`], localNetwork: true },
];

test('a proxy on the local network that is the only way out is open to the engine alone, and its host’s other services are reached', async () => {
  await using net = await createHelperLab({ engine: 'own' });
  await using ends = new AsyncDisposableStack();
  ends.use(await startOnlyProxy(net.lab, 'http'));
  ends.use(await placeGatewayNearby(net.lab));
  await net.start();
  const { user } = net.lab;
  const proxy = { protocol: 'http', port: proxyPorts.http } as const;
  /** Whether a program gets out by the proxy. */
  const getsOut = async () => {
    const by = `http://${neighbour.ipv4}:${proxy.port}`;
    const page = `http://${echo.ipv4}/x`;
    return (await user.exec(words(`curl --silent --fail --max-time 4 --proxy ${by} ${page}`))).code === 0;
  };
  expect(await getsOut()).toBe(true);
  const client = await net.attach();
  for (const routing of open) {
    const states = client.states.length;
    const session = await net.signIn(net.lab.gateway, { proxy, address: neighbour.ipv4 });
    await client.call('connect', net.request({ address: neighbour.ipv4, proxy, session, routing }));
    await client.until('connected', { seen: states });
    const found = { from: await seenBy(net, neighbour.ipv4), getsOut: await getsOut() };
    expect(found, JSON.stringify(routing)).toEqual({ from: userPrivate.ipv4, getsOut: false });
    await client.call('disconnect', {});
  }
  expect(await getsOut()).toBe(true);
  expect(await user.snapshot()).toBe(net.initialSnapshot);
});
