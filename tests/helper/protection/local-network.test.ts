import type { Routing } from '#shared/tunnel/state.ts';
import { describe, expect, test } from 'vitest';
import { addresses } from '../../lab/network/addresses.ts';
import { findLeaks } from '../../lab/packets/leaks.ts';
import { createNeighbour, type Neighbour } from '../../lab/network/neighbour.ts';
import { probeOnce } from '../../lab/probes/probe.ts';
import { casesOf, isExhaustive } from '../../lab/runs/thoroughness.ts';
import { helperLabForEach } from '../support/lab-for-each.ts';

const net = helperLabForEach();

const withLocalNetwork = { routing: { mode: 'global', localNetwork: true } } as const;

/** A public network that the user has named is not opened by one that it lies in, or that lies beside it. */
const withNamedNetworks: { routing: Routing } = {
  routing: {
    ...withLocalNetwork.routing,
    localPrefixes: [`${addresses.echo.ipv4}/32`, `${addresses.echo.ipv6}/128`, '2001:db8:1::/64'],
  },
};

type Attack = (neighbour: Neighbour) => Promise<void>;

/** What neighbours and DHCP servers can say of the link, on which in truth is nobody but them. */
const attacks = {
  'the whole IPv6 internet is on the link': ({ advertise }) => advertise({ onLink: ['2000::/3'] }),
  'a public IPv6 network is on the link': ({ advertise }) => advertise({ onLink: ['2001:db8:3::/64'] }),
  'IPv6 goes by way of them': ({ advertise }) => advertise({ routes: ['2000::/4', '2001:db8:3::/64'] }),
  'a lease makes either half of IPv4 attached': async ({ lease }) => {
    await lease({ address: '10.1.2.3/1' });
    await lease({ address: '172.31.2.3/1' });
  },
  'a lease makes a public network attached': ({ lease }) => lease({ address: '203.0.113.7/24' }),
  'a lease has routes by way of them (option 121)': ({ lease }) =>
    lease({ routes: [{ to: '0.0.0.0/1' }, { to: '128.0.0.0/1' }, { to: '203.0.113.0/24' }] }),
  'a lease has routes to the link itself (option 121)': ({ lease }) =>
    lease({
      routes: [
        { to: '0.0.0.0/1', onLink: true },
        { to: '128.0.0.0/1', onLink: true },
        { to: '203.0.113.0/24', onLink: true },
      ],
    }),
} satisfies Record<string, Attack>;

/** What left the uplink outside the tunnel while probes of every kind were sent. */
async function leaks() {
  const capture = await net.lab.capture();
  const stream = await net.lab.user.probe.stream('marker', 20);
  await probeOnce(net.lab.user);
  await stream[Symbol.asyncDispose]();
  // What waits for a neighbour's answer has passed the filter already, and would be in the next capture.
  const { user } = net.lab;
  const waiting = () => user.run(['ip', 'neighbour', 'show', 'nud', 'incomplete']);
  await expect.poll(waiting, { interval: 500 }).toBe('');
  return findLeaks(await capture.stop(), 'marker');
}

/** Waits until the helper has followed all changes of the network so far: this is one more, the `number`th. */
async function followed(number: number): Promise<void> {
  const { user } = net.lab;
  await user.run(['ip', 'address', 'add', `10.${200 + number}.0.5/24`, 'dev', 'uplink']);
  await expect
    .poll(() => user.run(['nft', 'list', 'table', 'inet', 'waymaker']))
    .toContain(`10.${200 + number}.0.0/24`);
}

const alone = Object.entries(attacks).map(([name, attack]): [string, Attack[]] => [name, [attack]]);
const isOfRoutes = ([name]: (typeof alone)[number]) => name.includes('option 121');
const inTurn = (those: typeof alone) => those.flatMap(([, [attack]]) => attack ?? []);
const butForRoutes = 'one thing after the other, but for routes of leases';
/**
 * A network that is public, routes, and one that is too wide: the rest comes to the same. The routes go before the
 * last, which they would hide.
 */
const usual: Attack[] = [
  attacks['a public IPv6 network is on the link'],
  attacks['a lease has routes to the link itself (option 121)'],
  async (neighbour) => {
    for (const to of ['0.0.0.0/1', '128.0.0.0/1', '203.0.113.0/24'])
      await net.lab.user.run(['ip', 'route', 'del', to, 'dev', 'uplink']);
    await attacks['a lease makes either half of IPv4 attached'](neighbour);
  },
];
/**
 * Routes of leases are the same ones in part, of which a machine has only one. Each alone, too: another might hide it.
 */
const attacksInTurn = casesOf<(typeof alone)[number]>({
  usual: [['one thing after the other', usual]],
  all: [[butForRoutes, inTurn(alone.filter((one) => !isOfRoutes(one)))], ...alone],
});

describe('a public network that is attached', () => {
  const named = ['192.0.0.0/8', '2001:db8:1::/64'];
  const hosts = [
    [addresses.router.ipv4, addresses.user.ipv4],
    [`[${addresses.router.ipv6}]`, addresses.user.ipv6],
  ] as const;

  async function seenBy(host: string, seconds = 2): Promise<string | undefined> {
    const request = ['curl', '-s', '--max-time', String(seconds), `http://${host}/x`];
    const { code, stdout } = await net.lab.user.exec(request);
    return code === 0 ? (JSON.parse(stdout) as { address: string }).address : undefined;
  }

  async function isReached(): Promise<void> {
    for (const [host, own] of hosts) expect(await seenBy(host, 30)).toBe(own);
  }

  async function isNotReached(): Promise<void> {
    const capture = await net.lab.capture('dst port 80');
    for (const [host] of hosts) await seenBy(host);
    expect(await capture.stop()).toEqual([]);
  }

  async function moreOf(route: (routing: Routing) => Promise<unknown>): Promise<void> {
    // A part of it only, and it is attached as a whole.
    await route({ mode: 'global', localNetwork: true, localPrefixes: ['192.0.2.0/25', '2001:db8:1::/65'] });
    await isNotReached();
    const byAddress: Routing = {
      mode: 'ip',
      policy: 'exclude',
      routeIps: ['198.18.0.0/15'],
      localNetwork: true,
    };
    await route(byAddress);
    await isNotReached();
    await route({ ...byAddress, localPrefixes: named });
    await isReached();
    await route({ mode: 'global', localNetwork: true, localPrefixes: named });
  }

  if (isExhaustive)
    test('is reached through the tunnel, or not at all', async () => {
      await isReached();
      await net.connect(withLocalNetwork);
      await isNotReached();
    });

  test('stays open while the kill switch blocks the rest, if the user has named it with the local network open', async () => {
    const client = await net.connect(withLocalNetwork);
    const route = (routing: Routing) => client.call('setRouting', { routing, killSwitch: true });
    await route({ mode: 'global', localNetwork: true, localPrefixes: named });
    await isReached();
    expect(await leaks()).toEqual([]);
    await route({ mode: 'global', localNetwork: false, localPrefixes: named });
    await isNotReached();
    if (isExhaustive) await moreOf(route);
    await route(withLocalNetwork.routing);
    await client.call('disconnect', { reason: 'session-ended' });
    expect(client.states.at(-1)).toMatchObject({ state: 'disconnected', blocked: true });
    for (const host of [addresses.neighbour.ipv4, `[${addresses.neighbour.ipv6}]`])
      await net.lab.user.run(['curl', '--silent', '--fail', '--max-time', '20', `http://${host}/x`]);
    expect(await leaks()).toEqual([]);
    await client.call('disconnect', {});
    expect(await leaks()).not.toEqual([]);
  });

  if (isExhaustive)
    test('stays local by the journal, while all else is blocked', async () => {
      await net.connect({
        routing: { mode: 'global', localNetwork: true, localPrefixes: named },
        killSwitch: true,
      });
      await net.end('SIGKILL');
      await net.start();
      const next = await net.attach();
      expect(next.states.at(-1)).toMatchObject({ state: 'connecting', phase: 'authenticating' });
      await isReached();
      expect(await leaks()).toEqual([]);
      await next.call('disconnect', {});
      expect(await leaks()).not.toEqual([]);
    });
});

describe('with the local network open, nothing leaves when a neighbour says that', () => {
  test.each(attacksInTurn)('%s', async (_name, all) => {
    const neighbour = await createNeighbour(net.lab.user, net.lab.internet);
    const client = await net.connect(withNamedNetworks);
    for (const [index, attack] of all.entries()) {
      await attack(neighbour);
      await followed(index);
      expect(await leaks(), `after ${index + 1} of them`).toEqual([]);
    }
    await client.call('disconnect', {});
    expect(await leaks()).not.toEqual([]);
    // Nor if it had been said before.
    await client.call('connect', net.request({ ...withNamedNetworks, session: await net.signIn() }));
    await client.until('connected', { seen: client.states.length - 1 });
    expect(await leaks()).toEqual([]);
  });
});
