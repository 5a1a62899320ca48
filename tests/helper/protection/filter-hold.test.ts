import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Routing } from '#shared/tunnel/state.ts';
import { addresses, names, ports } from '../../lab/network/addresses.ts';
import { findLeaks } from '../../lab/packets/leaks.ts';
import { watchLeaks } from '../../lab/packets/watch-leaks.ts';
import { probeOnce } from '../../lab/probes/probe.ts';
import { eventually } from '../../lab/runs/process.ts';
import { labWithFailingPrograms } from '../support/failures/lab-with-failing-programs.ts';
import { proxyGone } from '../support/helper-lab.ts';
import { proxyOf } from '../support/proxy/proxy-of.ts';
import { casesOf, isExhaustive } from '../../lab/runs/thoroughness.ts';

/** The filter that stands in while sets of prefixes are filled. */

const { net, programs } = labWithFailingPrograms({ isPutBack: true });

const { echo } = addresses;
const include = (routeIps: string[]): Routing => ({
  mode: 'ip',
  policy: 'include',
  routeIps,
  localNetwork: false,
});
const pac: Routing = { mode: 'pac', routeDomains: [names.where], blockedDomains: [] };

test('a set that was filled before another failed is filled again with the next filter', async () => {
  const session = await net.signIn();
  const client = await net.attach();
  const routing = include([`${echo.ipv4}/32`, `${echo.ipv6}/128`]);
  // The filter that stands in, the set of IPv4 prefixes, then that of IPv6.
  await programs.plan({ first: 3, last: 3, how: 'refuses', program: 'nft' });
  await client.call('connect', net.request({ session, routing, killSwitch: true }));
  expect(await client.until('disconnected', { seen: 1 })).toMatchObject({ blocked: true });
  expect(net.log()).toContain('nftables refuses');
  expect(net.log(), 'the next filter was whole').not.toContain('others took away');
});

// The filter that stands in, the set of IPv4 prefixes, then that of IPv6: a helper that stands still before it fills
// one of these loads a list for as long as that is looked at. Of a connection that is replaced, the block comes first.
test.each(
  casesOf({
    usual: [
      { before: 'the first connection', set: 2 },
      { before: 'one that replaces one of less', set: 3 },
    ],
    all: [
      { before: 'the first connection', set: 2 },
      { before: 'the first connection', set: 3 },
      { before: 'one that replaces one of less', set: 3 },
      { before: 'one that replaces one of less', set: 4 },
    ],
  }),
)(
  'everything that a list could contain is held back while it is loaded, with $before, set $set',
  async ({ before, set }) => {
    const leaksWhile = await watchLeaks(net.lab);
    const client =
      before === 'the first connection' ? await net.attach() : await net.connect({ routing: pac });
    expect(await net.lab.user.seenFrom(), 'positive control').toBe(addresses.user.ipv4);
    const session = await net.signIn();
    await programs.plan({ first: set, how: 'waits', program: 'nft' });
    const routing = include([`${echo.ipv4}/32`, `${echo.ipv6}/128`]);
    const connecting = client.call('connect', net.request({ session, routing }));
    await eventually('it loads the list', async () => (await programs.changes()).length >= set || undefined);
    expect(await leaksWhile(() => probeOnce(net.lab.user))).toEqual([]);
    const seen = client.states.length;
    await programs.plan(undefined);
    await connecting;
    await client.until('connected', { seen, after: 'connecting' });
    expect(await net.lab.user.seenFrom()).toBe(addresses.gateway.ipv4);
  },
);

if (isExhaustive)
  test('what comes to the proxy never leaves outside while a connection without one replaces its own', async () => {
    const marker = 'proxied';
    const url = `http://${marker}.${names.probes}/${marker}`;
    const ask = (args: string) =>
      net.lab.user.spawn([
        'bash',
        '-c',
        `while :; do curl --silent --max-time 1 ${args} ${url} & sleep 0.03; done`,
      ]);
    const client = await net.connect({ routing: pac, killSwitch: true });
    const { address } = proxyOf(client);
    const session = await net.signIn();
    // Nor what answers the gateway's last datagrams, whose port is closed by then.
    const capture = await net.lab.capture(`not port ${ports.echo} and not icmp`);
    const earlier = (await net.lab.gatewayMachine.queries()).length;
    const proxied = ask(`--proxy socks5h://${address}`);
    // The tunnel's resolver is asked by the proxy.
    await eventually('the proxy is asked', async () => {
      const asked = (await net.lab.gatewayMachine.queries()).slice(earlier);
      return asked.some(({ name }) => name.startsWith(`${marker}.`)) || undefined;
    });
    await client.call('connect', net.request({ session, routing: include(['203.0.113.77/32']) }));
    await client.until('connected');
    await delay(300);
    proxied.kill('SIGKILL');
    expect(findLeaks(await capture.stop(), marker)).toEqual([]);
    const control = await net.lab.capture(`not port ${ports.echo}`);
    const direct = ask("--noproxy '*'");
    await eventually('the positive control', async () => {
      return findLeaks(await control.packets(), marker).length > 0 || undefined;
    });
    direct.kill('SIGKILL');
    await control.stop();
  });

test.each(casesOf({ usual: [{ killSwitch: true }], all: [{ killSwitch: false }, { killSwitch: true }] }))(
  'with %o, a proxy that was left ends with a connection that has none, even if that one fails',
  async ({ killSwitch }) => {
    const client = await net.connect({ routing: pac, killSwitch: true });
    expect(await net.proxies(), 'positive control').toHaveLength(1);
    const session = await net.signIn();
    await programs.plan({ first: 1, how: 'refuses', program: 'nft', onlyAdditions: true });
    const seen = client.states.length;
    await client.call('connect', net.request({ session, killSwitch }));
    await client.until('disconnected', { seen });
    await programs.plan(undefined);
    await proxyGone(net);
    expect(await net.lab.user.seenFrom()).toBe(killSwitch ? undefined : addresses.user.ipv4);
  },
);
