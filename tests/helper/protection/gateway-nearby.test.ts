import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Routing } from '#shared/tunnel/state.ts';
import { addresses } from '../../lab/network/addresses.ts';
import { placeGatewayNearby } from '../../lab/network/nearby-gateway.ts';
import { createNeighbour } from '../../lab/network/neighbour.ts';
import { setKernel } from '../../lab/network/network.ts';
import { knockInside, sendInside } from '../../lab/probes/socket-inside.ts';
import { words } from '../../lab/runs/process.ts';
import { createHelperLab, type HelperLab } from '../support/helper-lab.ts';
import { capturedWhile, seenBy } from '../support/programs/seen-by.ts';
import type { TestClient } from '../support/callers/test-client.ts';

/** A gateway on a network to which the user's machine is attached: what else its host offers. */

const { neighbour, userPrivate, gateway, direct, echo } = addresses;
const host = Object.values(neighbour);

let net: HelperLab;
let nearby: AsyncDisposable;

beforeAll(async () => {
  net = await createHelperLab();
  // The kernel drops what seems forged, such as the gateway's answers if they were looked for elsewhere.
  await setKernel(
    net.lab.user,
    ['all', 'default', 'uplink'].map((device) => `net.ipv4.conf.${device}.rp_filter=1`),
  );
  nearby = await placeGatewayNearby(net.lab);
  await net.start();
});

afterEach(async () => {
  await net.disconnect();
  net.letClientsGo();
});

afterAll(async () => {
  await nearby[Symbol.asyncDispose]();
  await net[Symbol.asyncDispose]();
});

/** So do many packet filters, which look without ports and marks. */
const forgeryFilter = `table inet forged {
  chain prerouting {
    type filter hook prerouting priority filter + 10
    icmpv6 type { nd-router-advert, nd-neighbor-solicit, nd-neighbor-advert } accept
    fib saddr . iif oif missing drop
  }
}`;

/** Connects to the gateway at its host's private addresses, of which it has a public one, too. */
async function connect(routing: Routing, killSwitch = false): Promise<TestClient> {
  const session = await net.signIn(net.lab.gateway, { address: neighbour.ipv4 });
  const client = await net.connect({
    session,
    address: neighbour.ipv4,
    otherAddresses: [neighbour.ipv6, gateway.ipv4],
    routing,
    killSwitch,
  });
  // Its datagrams come back.
  await client.until('connected', { where: ({ transport }) => transport === 'dtls' });
  return client;
}

const reached = ['ping', 'tcp 80', 'udp 7'];
const lookUps = ['tcp 53', 'tcp 853', 'udp 137', 'udp 53', 'udp 5355', 'udp 853'];

/** Sends everything to a host: a ping, a page's connection, a datagram, and look-ups of all kinds. */
async function sendAll(to: string): Promise<void> {
  const { user } = net.lab;
  await user.exec(words(`ping -c 1 -W 1 ${to}`));
  for (const port of [80, 53, 853]) knockInside(user.namespace, to, port);
  for (const port of [7, 53, 137, 853, 5355]) sendInside(user.namespace, to, port, Buffer.from('x'));
}

/** Which of all that leaves for these hosts outside the tunnel, as protocols and ports; the engine's are left out. */
async function outside(hosts: readonly string[]): Promise<Record<string, string[]>> {
  const packets = await capturedWhile(net.lab, async () => {
    for (const to of hosts) await sendAll(to);
  });
  const kindOf = ({ protocol, destinationPort, payload }: (typeof packets)[number]) => {
    // Echo requests, and nothing of what neighbours say of themselves (RFC 792, RFC 4443 §4.1).
    if (protocol === 1 || protocol === 58) return [8, 128].includes(payload[0] ?? 0) ? ['ping'] : [];
    return destinationPort === 443 ? [] : [`${protocol === 6 ? 'tcp' : 'udp'} ${destinationPort}`];
  };
  const kinds = (to: string) => packets.filter(({ destination }) => destination === to).flatMap(kindOf);
  return Object.fromEntries(hosts.map((to) => [to, [...new Set(kinds(to))].sort()]));
}

const each = (hosts: readonly string[], kinds: readonly string[]) =>
  Object.fromEntries(hosts.map((to) => [to, kinds]));

/** From which addresses the gateway's host sees this machine, and whether this machine answers it. */
async function seen() {
  const { internet } = net.lab;
  const isAnswered = async (own: string, from: string) =>
    (await internet.exec(['ping', '-c', '1', '-W', '2', '-I', from, own])).code === 0;
  return {
    from: [await seenBy(net, neighbour.ipv4), await seenBy(net, neighbour.ipv6)],
    answers: [
      await isAnswered(userPrivate.ipv4, neighbour.ipv4),
      await isAnswered(userPrivate.ipv6, neighbour.ipv6),
    ],
  };
}

const asNeighbour = { from: Object.values(userPrivate), answers: [true, true] };

const open = {
  global: { mode: 'global', localNetwork: true },
  'all but listed addresses': {
    mode: 'ip',
    policy: 'exclude',
    routeIps: [`${direct.ipv4}/32`],
    localNetwork: true,
  },
  'listed addresses, among them the gateway’s network': {
    mode: 'ip',
    policy: 'include',
    routeIps: ['192.168.0.0/16', 'fd00::/8', `${echo.ipv4}/32`, `${gateway.ipv4}/32`],
    localNetwork: true,
  },
} as const satisfies Record<string, Routing>;

describe('on a private network', () => {
  test.each(Object.entries(open))(
    'routing %s reaches the gateway’s host like any neighbour (rethink-app 1725, gluetun 590, mullvadvpn-app 2506, 4755)',
    async (_name, routing) => {
      const { user } = net.lab;
      await user.run(['nft', '-f', '-'], { input: forgeryFilter });
      onTestFinished(async () => {
        await user.run(words('nft delete table inet forged'));
      });
      expect(await seen()).toEqual(asNeighbour);
      expect(await outside(host)).toEqual(each(host, [...lookUps, ...reached].sort()));
      const client = await connect(routing);
      expect(await seen()).toEqual(asNeighbour);
      expect(await outside(host)).toEqual(each(host, reached));
      // At its public address, which is not local, it has only the engine's port.
      expect(await outside([gateway.ipv4])).toEqual(each([gateway.ipv4], []));
      await client.call('disconnect', {});
    },
  );

  test('without that access, only the engine’s packets reach its host outside (setup-ipsec-vpn 1350, mullvadvpn-app 1829)', async () => {
    const client = await connect({ mode: 'global', localNetwork: false });
    expect(await seen()).toEqual({ from: Object.values(gateway), answers: [false, false] });
    expect(await outside(host)).toEqual(each(host, []));
    // As soon as it is given, and no longer.
    await client.call('setRouting', { routing: open.global });
    expect(await seen()).toEqual(asNeighbour);
    await client.call('setRouting', { routing: { mode: 'global', localNetwork: false } });
    expect(await outside(host)).toEqual(each(host, []));
    await client.call('disconnect', {});
  });

  test('its host stays reachable while the kill switch blocks everything else (amnezia-client 3159)', async () => {
    const client = await connect(open.global, true);
    await client.call('disconnect', { reason: 'session-ended' });
    expect(client.states.at(-1)).toMatchObject({ state: 'disconnected', blocked: true });
    expect(await seen()).toEqual(asNeighbour);
    const hosts = [...host, gateway.ipv4, echo.ipv4];
    expect(await outside(hosts)).toEqual({ ...each(hosts, []), ...each(host, reached) });
    await client.call('disconnect', {});
    expect(await outside(hosts)).toEqual(each(hosts, [...lookUps, ...reached].sort()));
  });
});

test('an attached network with the gateway’s public address gets the engine’s packets alone (ics-openvpn 1632, vpnleaks 1)', async () => {
  const others = await createNeighbour(net.lab.user, net.lab.internet);
  const client = await net.connect({ routing: open.global });
  await others.lease({ routes: [{ to: '198.51.100.0/25', onLink: true }] });
  await others.lease({ address: '198.51.100.50/26' });
  const rules = () => net.lab.user.run(words('nft list table inet waymaker'));
  await expect.poll(rules).toContain('198.51.100.0/25');
  expect(await outside([gateway.ipv4])).toEqual(each([gateway.ipv4], []));
  await client.call('setRouting', { routing: { ...open.global, localPrefixes: ['198.51.100.0/24'] } });
  expect(await outside([gateway.ipv4])).toEqual(each([gateway.ipv4], reached));
  await client.call('disconnect', {});
  await net.lab.user.run(words('ip address del 198.51.100.50/26 dev uplink'));
  await net.lab.user.run(words('ip route del 198.51.100.0/25 dev uplink'));
  await net.lab.internet.run(words('ip route del 198.51.100.50 dev user0'));
});
