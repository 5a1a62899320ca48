import { describe, expect, test } from 'vitest';
import type { Routing } from '#shared/tunnel/state.ts';
import { addresses, names } from '../../../lab/network/addresses.ts';
import { words } from '../../../lab/runs/process.ts';
import { helperLabForEach } from '../../support/lab-for-each.ts';
import { modeApp, programLab, echoes, past, tunnelled } from '../../support/programs/program-lab.ts';
import { seenBy } from '../../support/programs/seen-by.ts';
import { proxyOf } from '../../support/proxy/proxy-of.ts';

/** Each mode in brief; what a mode promises is shown in tests of its own, with openconnect. */

const { echo, direct, user, gateway } = addresses;

describe('with our own engine', () => {
  const net = helperLabForEach({ engine: 'own' });

  test('mode ip leads what is listed through the tunnel, and mode pac what comes to its proxy', async () => {
    const routing: Routing = {
      mode: 'ip',
      policy: 'include',
      routeIps: [`${echo.ipv4}/32`, `${echo.ipv6}/128`],
      localNetwork: false,
    };
    const client = await net.connect({ routing });
    expect(await Promise.all([echo.ipv4, echo.ipv6, direct.ipv4].map((host) => seenBy(net, host)))).toEqual([
      gateway.ipv4,
      gateway.ipv6,
      user.ipv4,
    ]);
    const engines = await net.engines();
    await client.call('setRouting', { routing: { mode: 'global', localNetwork: false } });
    expect(await seenBy(net, direct.ipv4)).toBe(gateway.ipv4);
    expect(await net.engines()).toEqual(engines);

    const pac: Routing = { mode: 'pac', routeDomains: [names.echo], blockedDomains: [] };
    await client.call('setRouting', { routing: pac });
    expect(await net.engines()).toEqual(engines);
    const proxy = `socks5h://${proxyOf(client).address}`;
    const page = words(`curl --silent --max-time 20 --proxy ${proxy} http://${names.echo}/x`);
    const { address } = JSON.parse(await net.lab.user.run(page)) as { address: string };
    expect(address).toBeOneOf([gateway.ipv4, gateway.ipv6]);
    expect(await seenBy(net, echo.ipv4)).toBe(user.ipv4);
  });

  test('a split server leads what its gateway names through the tunnel', async () => {
    await net.lab.gateway.restart({ options: [`route = ${echo.ipv4}/32`, `no-route = ${direct.ipv4}/32`] });
    const client = await net.connect({ split: true });
    expect(client.states.at(-1)).toMatchObject({ routing: { mode: 'split' } });
    expect(await seenBy(net, echo.ipv4)).toBe(gateway.ipv4);
    expect(await seenBy(net, direct.ipv4)).toBe(user.ipv4);
  });
});

describe('with our own engine, mode app', () => {
  const lab = programLab({ engine: 'own' });

  test('leads the group through the tunnel, and nobody else', async () => {
    await lab.connect(modeApp('include'));
    expect(await lab.seenBy('group', echoes)).toEqual(tunnelled);
    expect(await lab.seenBy('outside', echoes)).toEqual(past);
  });
});
