import { expect, test } from 'vitest';
import { addresses, names } from '../../lab/network/addresses.ts';
import { words } from '../../lab/runs/process.ts';
import { waitLimit } from '../../lab/runs/wait-limit.ts';
import { helperLabForEach } from '../support/lab-for-each.ts';
import { proxyOf } from '../support/proxy/proxy-of.ts';

const net = helperLabForEach();

/** How long a packet takes each way, in milliseconds. */
const slow = 1_700;

test(
  'where an answer takes more than three seconds, a tunnel is made, and stays',
  async () => {
    const { user } = net.lab;
    const client = await net.attach();
    const session = await net.signIn();
    await using delayed = new AsyncDisposableStack();
    delayed.use(await net.lab.delay(slow));
    const routing = { mode: 'pac' as const, routeDomains: [names.echo], blockedDomains: [] };
    await client.call('connect', net.request({ session, routing }));
    const { addresses: own, problems } = await client.until('connected', { limitMs: 100_000 });
    expect(problems).toBeUndefined();
    const engines = await net.engines();
    const seen = client.states.length;

    // Idle for longer than an engine waits that knows nothing of this.
    const ping = words(`ping -c 2 -i ${slow / 250} -W 30 -I ${own.ipv4} ${addresses.inside.ipv4}`);
    expect(await user.run(ping)).toContain('2 received');
    const proxy = `socks5h://${proxyOf(client).address}`;
    const page = words(`curl --silent --max-time 60 --proxy ${proxy} http://${names.echo}/x`);
    const { address } = JSON.parse(await user.run(page)) as { address: string };
    expect(address).toBeOneOf([addresses.gateway.ipv4, addresses.gateway.ipv6]);
    expect(await net.engines()).toEqual(engines);
    expect(client.states.slice(seen).filter(({ state }) => state !== 'connected')).toEqual([]);
  },
  waitLimit(240_000),
);

test('a sign-in succeeds where a packet takes three seconds each way', async () => {
  await using delayed = new AsyncDisposableStack();
  delayed.use(await net.lab.delay(3_000));
  expect((await net.signIn()).cookie).toMatch(/^webvpn=./);
});
