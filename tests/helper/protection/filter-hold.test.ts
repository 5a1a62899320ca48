import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Routing } from '#shared/tunnel/state.ts';
import { addresses, names, ports } from '../../lab/network/addresses.ts';
import { findLeaks } from '../../lab/packets/leaks.ts';
import { eventually } from '../../lab/runs/process.ts';
import { waitLimit } from '../../lab/runs/wait-limit.ts';
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
const source = async () => (await net.lab.user.probe.http4('where'))?.address;

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

if (isExhaustive)
  test(
    'a connection that replaces one of less holds everything back while its list is loaded',
    { timeout: waitLimit(120_000) },
    async () => {
      const list = Array.from({ length: 100_000 }, (_, index) => {
        const network = 2 * index;
        return `${1 + (network >> 16)}.${(network >> 8) & 255}.${network & 255}.0/24`;
      }).filter((prefix) => !prefix.startsWith('10.'));
      /** For how much of the time until the answer packets that belong in the tunnel still leave. */
      const partUnheld = async () => {
        const client = await net.connect({ routing: pac, killSwitch: true });
        expect(await source(), 'positive control').toBe(addresses.user.ipv4);
        const session = await net.signIn();
        const journal = path.join(net.stateDirectory, 'journal.json');
        const capture = await net.lab.capture(`dst host ${echo.ipv4}`);
        await using stream = await net.lab.user.probe.stream('replaced', 5);
        const answered = client.call(
          'connect',
          net.request({ session, routing: include([...list, `${echo.ipv4}/32`]) }),
        );
        const begun = await eventually('it has begun', async () => {
          const entry = await readFile(journal, 'utf8').catch(() => '');
          return entry.includes('"mode":"ip"') ? Date.now() : undefined;
        });
        await answered;
        const blocked = Date.now();
        const times = (await capture.stop()).map(({ time }) => time);
        expect(times.length, 'positive control').toBeGreaterThan(0);
        void stream;
        await client.call('disconnect', {});
        client[Symbol.dispose]();
        // What leaves, that is: the other end sends again what nobody answers.
        return (Math.max(...times) - begun) / (blocked - begun);
      };
      let part = await partUnheld();
      // A helper that has to wait for a processor before it holds anything back has it for the list at once.
      for (let more = 2; more > 0 && part >= 0.3; more -= 1) part = await partUnheld();
      expect(part, 'how much of the time until the answer it still leaves').toBeLessThan(0.3);
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
    expect(await source()).toBe(killSwitch ? undefined : addresses.user.ipv4);
  },
);
