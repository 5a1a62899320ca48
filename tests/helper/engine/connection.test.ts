import { describe, expect, test } from 'vitest';
import { addresses, names } from '../../lab/network/addresses.ts';
import { engines } from '../support/engines.ts';
import { helperLabForEach } from '../support/lab-for-each.ts';

describe.each(engines)('with %s as the engine', (engine) => {
  const net = helperLabForEach({ engine });

  test('connects, routes both IP versions and names through the tunnel, and leaves no trace', async () => {
    const { lab } = net;
    expect(await lab.user.probe.http4('before')).toMatchObject({ address: addresses.user.ipv4 });
    const client = await net.attach();
    const session = await net.signIn();
    await client.call('connect', net.request({ session }));
    const connected = await client.until('connected');
    expect(connected).toMatchObject({
      gateway: { host: names.gateway, port: 443 },
      routing: { mode: 'global', localNetwork: false },
    });
    expect(connected.addresses.ipv4).toMatch(/^198\.51\.100\./);
    expect(connected.addresses.ipv6).toMatch(/^2001:db8:2:100:/);
    await client.until('connected', { where: ({ transport }) => transport === 'dtls' });
    const [over4, over6] = await Promise.all([
      lab.user.probe.http4('during'),
      lab.user.probe.http6('during'),
    ]);
    expect(over4).toMatchObject({ address: addresses.gateway.ipv4 });
    expect(over6?.address).toMatch(/^2001:db8:2:/);
    expect(await lab.user.resolve(names.where)).toContain(addresses.inside.ipv4);
    expect(await lab.user.resolve(names.inside)).toContain(addresses.inside.ipv4);
    const { received, sent } = await client.call('statistics', {});
    expect(Math.min(received, sent)).toBeGreaterThan(100);

    await client.call('disconnect', {});
    expect(client.states.at(-1)).toEqual({ state: 'disconnected' });
    expect(await lab.user.snapshot()).toBe(net.initialSnapshot);
    expect(await lab.user.probe.http4('after')).toMatchObject({ address: addresses.user.ipv4 });
    expect(await net.engines()).toEqual([]);
  });
});
