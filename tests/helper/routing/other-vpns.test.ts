import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Routing } from '#shared/tunnel/state.ts';
import { addresses } from '../../lab/network/addresses.ts';
import { watchLeaks } from '../../lab/packets/watch-leaks.ts';
import { probeOnce } from '../../lab/probes/probe.ts';
import { words } from '../../lab/runs/process.ts';
import { waitLimit } from '../../lab/runs/wait-limit.ts';
import type { TestClient } from '../support/callers/test-client.ts';
import { helperLabForEach } from '../support/lab-for-each.ts';

/** Beside other VPNs: their device, their tables and rules, as their programs make them. */

const net = helperLabForEach();

const device = 'other0';
const gateway = [addresses.gateway.ipv4, addresses.gateway.ipv6];
const ipLines = (lines: readonly string[]) =>
  net.lab.user.run(words('ip -batch -'), { input: `${lines.join('\n')}\n` });
const both = (line: string) => ['-4', '-6'].map((family) => `${family} ${line}`);
/** One process for each IP version: in a batch, the family is that of the command line. */
async function ip(...lines: string[]): Promise<void> {
  for (const line of lines.flatMap(both)) await net.lab.user.run(words(`ip ${line}`));
}

/**
 * wg-quick(8), add_default: everything but its own packets, by rules that the kernel puts before those there are. Its
 * peer leads nowhere here; the engine's packets, which it would lead to the gateway, go there without it.
 */
const wgQuick = {
  /** `except`: what its program leads past it. */
  async up(except: readonly string[] = gateway) {
    await ipLines(except.map((address) => `route add throw ${address} table 51820`));
    await ip(
      `route add default dev ${device} table 51820`,
      'rule add not fwmark 51820 table 51820',
      'rule add table main suppress_prefixlength 0',
    );
  },
  async down() {
    await ip(
      'rule del table 51820',
      'rule del table main suppress_prefixlength 0',
      'route flush table 51820',
    );
  },
};

const peer = '100.100.100.100';
/** Tailscale (wgengine/router/osrouter/router_linux.go, ipRules): its own packets, and a table of its network. */
const tailscale = {
  async up() {
    await ip(
      'rule add pref 5210 fwmark 0x80000/0xff0000 table main',
      'rule add pref 5230 fwmark 0x80000/0xff0000 table default',
      'rule add pref 5250 fwmark 0x80000/0xff0000 type unreachable',
      'rule add pref 5270 table 52',
    );
    await ipLines([`route add 100.64.0.0/10 dev ${device} table 52`]);
  },
  async down() {
    for (const pref of [5210, 5230, 5250, 5270]) await ip(`rule del pref ${pref}`);
  },
};

const table = 'inet othervpn';

beforeEach(async () => {
  await ipLines([
    `link add ${device} type veth peer name other1`,
    `addr add 10.66.66.2/32 dev ${device}`,
    `addr add fd66::2/128 dev ${device}`,
    `link set ${device} arp off up`,
    'link set other1 arp off up',
  ]);
  await net.lab.user.run(words('nft -f -'), {
    input: `table ${table} {
      counter sent { }
      chain sent {
        type filter hook postrouting priority 300
        oifname != ${device} accept
        ip daddr ${addresses.gateway.ipv4} accept
        meta l4proto { tcp, udp } counter name sent
      }
    }`,
  });
});

afterEach(async () => {
  await net.lab.user.run(words(`ip link del ${device}`));
  await net.lab.user.run(words(`nft delete table ${table}`));
  expect(await net.lab.user.snapshot()).toBe(net.initialSnapshot);
});

/** How many packets the other VPN has been given meanwhile, but for the engine's, which may leave by any device. */
async function givenWhile(during: () => Promise<unknown>): Promise<number> {
  const given = async () =>
    Number(/packets (\d+)/.exec(await net.lab.user.run(words(`nft list counter ${table} sent`)))?.[1] ?? NaN);
  const before = await given();
  await during();
  return (await given()) - before;
}

const isOverruled = ({ problems = [] }: { problems?: readonly string[] | undefined }) =>
  problems.includes('routes-overruled');

/** While wg-quick's routes are there, the state says so, and not afterwards. */
async function expectOthersSeen(client: TestClient): Promise<void> {
  await wgQuick.up();
  await client.until('connected', { where: isOverruled });
  const seen = client.states.length;
  await wgQuick.down();
  await client.until('connected', { seen, where: (state) => !isOverruled(state) });
  await client.call('disconnect', {});
}

const send = () => probeOnce(net.lab.user);
const sendToPeer = () => net.lab.user.exec(['bash', '-c', `echo peer > /dev/udp/${peer}/7`]);

test('the rules of wg-quick and Tailscale that were there before come after ours, and all goes through the tunnel', async () => {
  const leaksWhile = await watchLeaks(net.lab);
  const session = await net.signIn();
  await wgQuick.up();
  await tailscale.up();
  expect(await givenWhile(send), 'positive control').toBeGreaterThan(0);
  expect(await givenWhile(sendToPeer), 'positive control').toBeGreaterThan(0);
  const client = await net.attach();
  await client.call('connect', net.request({ session, killSwitch: true }));
  await client.until('connected');
  const leaks = await leaksWhile(async () => {
    const given = await givenWhile(async () => {
      await send();
      await sendToPeer();
      expect(await net.lab.user.seenFrom()).toBe(addresses.gateway.ipv4);
    });
    expect(given).toBe(0);
  });
  expect(leaks).toEqual([]);
  await client.call('disconnect', {});
  expect(await givenWhile(send), 'as before').toBeGreaterThan(0);
  await tailscale.down();
  await wgQuick.down();
});

test('rules added while connected leave all in the tunnel if they are Tailscale’s, and stop all if they are wg-quick’s', async () => {
  const leaksWhile = await watchLeaks(net.lab);
  const client = await net.connect({ killSwitch: true });
  const leaks = await leaksWhile(async () => {
    const given = await givenWhile(async () => {
      await tailscale.up();
      await sendToPeer();
      expect(await net.lab.user.seenFrom()).toBe(addresses.gateway.ipv4);
      expect(client.states.filter((state) => 'problems' in state)).toEqual([]);
      await wgQuick.up();
      await client.until('connected', { where: isOverruled });
      await send();
      expect(await net.lab.user.seenFrom()).toBeUndefined();
      const seen = client.states.length;
      await wgQuick.down();
      await client.until('connected', { seen, where: (state) => !isOverruled(state) });
      await expect
        .poll(() => net.lab.user.seenFrom(), { timeout: waitLimit(60_000), interval: 500 })
        .toBe(addresses.gateway.ipv4);
    });
    expect(given).toBe(0);
  });
  expect(leaks).toEqual([]);
  await client.call('disconnect', {});
  expect(await givenWhile(sendToPeer), 'positive control').toBeGreaterThan(0);
  await tailscale.down();
});

test('a network of this machine that stays reachable is not taken for the routes of others, which are seen beside it', async () => {
  // Its addresses are those of documentation, as some people’s are at home (RFC 5737).
  const routing: Routing = { mode: 'global', localNetwork: true, localPrefixes: ['192.0.2.0/24'] };
  const client = await net.connect({ routing });
  await expectOthersSeen(client);
});

test('a network of this machine’s that is numbered as in examples is no other VPN, and wg-quick beside it is one', async () => {
  // Docker's manual, "Use IPv6 networking"; the address is this machine's own.
  await ipLines([`addr add 2001:db8::1/64 dev ${device} nodad`, `addr add 192.0.2.1/24 dev ${device}`]);
  const client = await net.connect();
  await expectOthersSeen(client);
});

test('rules that lead even the engine’s packets away are told of while no tunnel can be made, and not afterwards', async () => {
  const client = await net.connect({ killSwitch: true });
  const seen = client.states.length;
  await wgQuick.up([]);
  await client.until('connecting', { seen, where: isOverruled });
  const told = client.states.length;
  await wgQuick.down();
  await client.until('connected', { seen: told, where: (state) => !isOverruled(state) });
  await client.call('disconnect', {});
});

test('rules that came before a tunnel is first made are told of, a network that is numbered as in examples is not', async () => {
  await ipLines([`addr add 2001:db8::1/64 dev ${device} nodad`, `addr add 192.0.2.1/24 dev ${device}`]);
  const session = await net.signIn();
  const client = await net.attach();
  // Nobody answers, so that it goes on trying.
  await net.lab.gateway.stop();
  await client.call('connect', net.request({ session, killSwitch: true }));
  await client.until('connecting', { where: ({ attempt }) => attempt > 2 });
  expect(client.states.filter((state) => 'problems' in state)).toEqual([]);
  const seen = client.states.length;
  await wgQuick.up([]);
  await client.until('connecting', { seen, where: isOverruled });
  const told = client.states.length;
  await wgQuick.down();
  await client.until('connecting', { seen: told, where: (state) => !isOverruled(state) });
  await client.call('disconnect', {});
  await net.lab.gateway.start();
});

test('rules that come while the first sign-in is waited for are told of at once', async () => {
  const client = await net.attach();
  await client.call('connect', net.request({ killSwitch: true }));
  await client.until('connecting', { where: ({ phase }) => phase === 'authenticating' });
  const seen = client.states.length;
  await wgQuick.up([]);
  await client.until('connecting', { seen, where: isOverruled });
  const told = client.states.length;
  await wgQuick.down();
  await client.until('connecting', { seen: told, where: (state) => !isOverruled(state) });
  await client.call('disconnect', {});
});
