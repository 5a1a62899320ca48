import { expect, test } from 'vitest';
import type { Routing } from '#shared/tunnel/state.ts';
import { addresses } from '../../lab/network/addresses.ts';
import { placeGatewayNearby } from '../../lab/network/nearby-gateway.ts';
import { proxyPorts, startOnlyProxy } from '../../lab/network/web-proxy.ts';
import { curlLimits } from '../../lab/probes/probe.ts';
import { words } from '../../lab/runs/process.ts';
import { createHelperLab } from '../support/helper-lab.ts';
import { seenBy } from '../support/programs/seen-by.ts';

const { neighbour, userPrivate, router, direct, echo } = addresses;

const open: Routing[] = [
  { mode: 'global', localNetwork: true },
  { mode: 'ip', policy: 'exclude', routeIps: [`${direct.ipv4}/32`], localNetwork: true },
  { mode: 'ip', policy: 'include', routeIps: ['192.168.0.0/16', `${echo.ipv4}/32`], localNetwork: true },
];

test('a proxy on the local network that is the only way out is open to the engine alone', async () => {
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
    return (
      (await user.exec(words(`curl --silent --fail ${curlLimits().join(' ')} --proxy ${by} ${page}`)))
        .code === 0
    );
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

test('each address of such a proxy is open to the engine alone, also after the helper was killed', async () => {
  await using net = await createHelperLab({ engine: 'own' });
  await using ends = new AsyncDisposableStack();
  ends.use(await startOnlyProxy(net.lab, 'http'));
  ends.use(await placeGatewayNearby(net.lab));
  const { user, internet } = net.lab;
  const other = '192.168.37.67';
  await internet.run(words(`ip address add ${other}/32 dev user0`));
  ends.defer(async () => void (await internet.run(words(`ip address del ${other}/32 dev user0`))));
  const at = `ip daddr ${other} tcp dport ${proxyPorts.http}`;
  await internet.run(words(`nft add rule inet nearby prerouting ${at} dnat ip to ${router.ipv4}`));
  await net.start();
  /** By which of the proxy's addresses programs get out. */
  const ways = async () => {
    const found = [neighbour.ipv4, other].map(async (address) => {
      const by = `http://${address}:${proxyPorts.http}`;
      const page = `http://${echo.ipv4}/x`;
      const asked = await user.exec(
        words(`curl --silent --fail ${curlLimits().join(' ')} --proxy ${by} ${page}`),
      );
      return asked.code === 0 ? [address] : [];
    });
    return (await Promise.all(found)).flat();
  };
  expect(await ways()).toEqual([neighbour.ipv4, other]);
  const proxy = { protocol: 'http', port: proxyPorts.http } as const;
  const session = await net.signIn(net.lab.gateway, { proxy, address: neighbour.ipv4 });
  const client = await net.attach();
  const request = net.request({
    session,
    proxy,
    address: neighbour.ipv4,
    otherAddresses: [other],
    routing: { mode: 'global', localNetwork: true },
    killSwitch: true,
  });
  await client.call('connect', request);
  await client.until('connected');
  expect(await ways()).toEqual([]);
  await net.end('SIGKILL');
  await net.start();
  const next = await net.attach();
  await next.until('connecting');
  expect({ ways: await ways(), from: await seenBy(net, neighbour.ipv4) }).toEqual({
    ways: [],
    from: userPrivate.ipv4,
  });
  await next.call('disconnect', {});
  expect(await ways()).toEqual([neighbour.ipv4, other]);
});
