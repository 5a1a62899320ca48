import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Routing } from '#shared/tunnel/state.ts';
import { addresses, names, pools } from '../../lab/network/addresses.ts';
import { isHardwareTold } from '../../lab/network/hardware-address.ts';
import { createNeighbour } from '../../lab/network/neighbour.ts';
import { eventually, words } from '../../lab/runs/process.ts';
import { resolve } from '../../lab/probes/probe.ts';
import { waitLimit } from '../../lab/runs/wait-limit.ts';
import { createHelperLab, type HelperLab } from '../support/helper-lab.ts';
import { packetsWhile, seenBy } from '../support/programs/seen-by.ts';
import type { TestClient } from '../support/callers/test-client.ts';
import { isExhaustive } from '../../lab/runs/thoroughness.ts';
import { exclude, hostPrefixes, include } from '../support/address-routing.ts';

/** Mode ip among odd lists, a greedy gateway and hostile neighbours, where reverse path filtering is strict. */

const { echo, direct, inside, neighbour, user, userPrivate, gateway, resolver } = addresses;

let net: HelperLab;
beforeAll(async () => {
  net = await createHelperLab({ gateway: false });
  for (const device of ['all', 'default', 'uplink'])
    await net.lab.user.run(words(`sysctl -qw net.ipv4.conf.${device}.rp_filter=1`));
  await net.lab.gateway.start({ options: greedy, mtu: undefined, pool: pools.first });
  await net.start();
});
afterAll(() => net[Symbol.asyncDispose]());
afterEach(() => net.disconnect());

/** It wants what is not listed, and does not want what is; the rest of the world, too, and its resolver is its own. */
const greedy = [
  `route = ${direct.ipv4}/32`,
  `no-route = ${echo.ipv4}/32`,
  'route = 192.168.0.0/16',
  'route = 0.0.0.0/1',
  'route = 128.0.0.0/1',
];

const listed = hostPrefixes(echo);
const others = [...hostPrefixes(direct), `${resolver.ipv4}/32`];

const route = (client: TestClient, routing: Routing) => client.call('setRouting', { routing });

if (isExhaustive)
  describe('a list that has', () => {
    test('the local network, the gateway, the resolver before, and what is inside what', async () => {
      const odd = [
        '192.168.37.0/24',
        `${gateway.ipv4}/32`,
        `${resolver.ipv4}/32`,
        '203.0.113.0/24',
        ...listed,
      ];
      const client = await net.connect({ routing: include([...odd]) });
      expect(await seenBy(net, echo.ipv4)).toBe(gateway.ipv4);
      expect(await seenBy(net, direct.ipv4)).toBe(gateway.ipv4);
      expect(await seenBy(net, neighbour.ipv4)).toBe(gateway.ipv4);
      expect(await isHardwareTold(net.lab, userPrivate.ipv4, neighbour.ipv4)).toBe(true);
      expect(await resolve(net.lab.user, names.where)).toContain(inside.ipv4);
      await route(client, { ...include([...odd]), localNetwork: true });
      expect(await seenBy(net, neighbour.ipv4)).toBe(userPrivate.ipv4);
      expect(client.states.at(-1)).not.toHaveProperty('problems');
      await route(client, exclude([...odd]));
      expect(await seenBy(net, echo.ipv4)).toBe(user.ipv4);
      expect(await seenBy(net, neighbour.ipv4)).toBe(userPrivate.ipv4);
      expect(await resolve(net.lab.user, names.where)).toContain(inside.ipv4);
      expect(client.states.at(-1)).toMatchObject({ state: 'connected' });
    });

    test('everything in halves', async () => {
      const halves = ['0.0.0.0/1', '128.0.0.0/1', '::/1', '8000::/1'];
      const client = await net.connect({ routing: include([...halves]), killSwitch: true });
      const inTunnel = await packetsWhile(net, async () => {
        expect(await seenBy(net, direct.ipv4)).toBe(gateway.ipv4);
        expect(await seenBy(net, echo.ipv6)).toBe(gateway.ipv6);
      });
      expect(inTunnel).toEqual({ echo: 0, echoIpv6: 0, direct: 0 });
      const around = await packetsWhile(net, async () => {
        await route(client, exclude([...halves]));
        expect(await seenBy(net, direct.ipv4)).toBe(user.ipv4);
        expect(await seenBy(net, echo.ipv6)).toBe(user.ipv6);
      });
      expect(Math.min(around.echo, around.echoIpv6)).toBeGreaterThan(0);
      await route(client, include([...halves]));
      await client.call('disconnect', { reason: 'session-ended' });
      expect(await seenBy(net, direct.ipv4)).toBeUndefined();
      expect(await seenBy(net, neighbour.ipv4)).toBeUndefined();
    });

    test('IPv4 addresses as IPv6 has them', async () => {
      // Programs that say it so send IPv4, which the list of IPv4 is asked for.
      const mapped = '::ffff:cb00:7150/128';
      const client = await net.connect({ routing: include([...listed, mapped]) });
      expect(await seenBy(net, `::ffff:${echo.ipv4}`)).toBe(gateway.ipv4);
      expect(await seenBy(net, `::ffff:${direct.ipv4}`)).toBe(user.ipv4);
      await route(client, exclude([mapped]));
      expect(await seenBy(net, `::ffff:${echo.ipv4}`)).toBe(gateway.ipv4);
    });
  });

test(
  'neither what the gateway pushes nor what neighbours say leads out what belongs in the tunnel',
  { timeout: waitLimit(90_000) },
  async () => {
    const client = await net.connect({
      routing: { ...include([...listed]), localNetwork: true },
      killSwitch: true,
    });
    for (const routing of [exclude([...others]), include([...listed])]) {
      await route(client, routing);
      expect(await seenBy(net, echo.ipv4)).toBe(gateway.ipv4);
      expect(await seenBy(net, direct.ipv4)).toBe(user.ipv4);
    }
    expect(await seenBy(net, neighbour.ipv4)).toBe(userPrivate.ipv4);
    const hostile = await createNeighbour(net.lab.user, net.lab.internet);
    const packets = await packetsWhile(net, async () => {
      await hostile.advertise({ onLink: ['2001:db8:3::/64'], routes: ['2001:db8:3::/64'] });
      await hostile.lease({
        address: '203.0.113.7/24',
        routes: [{ to: `${echo.ipv4}/32` }, { to: '203.0.113.80/30', onLink: true }],
      });
      for (const routing of [exclude([...others]), include([...listed])]) {
        await route(client, { ...routing, localNetwork: true });
        expect(await seenBy(net, echo.ipv4)).toBe(gateway.ipv4);
        expect(await seenBy(net, echo.ipv6)).toBe(gateway.ipv6);
      }
      const { user: machine } = net.lab;
      await machine.run(words('ip link set uplink down'));
      await machine.run(words('ip link set uplink up'));
      await machine.run(words(`ip address add ${user.ipv6}/64 dev uplink nodad`)).catch(() => undefined);
      for (const [family, way] of [
        ['-4', addresses.router.ipv4],
        ['-6', addresses.router.ipv6],
      ] as const)
        await machine.run(words(`ip ${family} route replace default via ${way} dev uplink`));
      await eventually(
        'the tunnel carries packets again',
        async () => (await seenBy(net, echo.ipv4)) === gateway.ipv4 || undefined,
      );
    });
    expect(packets).toMatchObject({ echo: 0, echoIpv6: 0 });
    // The positive control: nothing of it is in the way of what may leave.
    await client.call('disconnect', {});
    const open = await packetsWhile(net, () => seenBy(net, direct.ipv4));
    expect(open.echo).toBeGreaterThan(0);
  },
);
