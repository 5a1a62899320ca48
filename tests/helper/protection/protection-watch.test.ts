import { copyFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Routing } from '#shared/tunnel/state.ts';
import { addresses, names } from '../../lab/network/addresses.ts';
import { createAdministrator } from '../../lab/machine/administrator.ts';
import { findLeaks } from '../../lab/packets/leaks.ts';
import { eventually, words } from '../../lab/runs/process.ts';
import { casesOf, isExhaustive } from '../../lab/runs/thoroughness.ts';
import { waitLimit } from '../../lab/runs/wait-limit.ts';
import { routingTable } from '../../../helper/linux/identifiers.ts';
import type { TestClient } from '../support/callers/test-client.ts';
import { helperLabForEach } from '../support/lab-for-each.ts';

const net = helperLabForEach();

const everything: Routing = { mode: 'global', localNetwork: false };
const pac: Routing = { mode: 'pac', routeDomains: [names.where], blockedDomains: [] };

const administrator = () => createAdministrator(net.lab.user);

const disturbances = {
  'nft flush ruleset': () => administrator().flushRuleset(),
  'a reload of Debian’s nftables.service': () => administrator().reloadNftables(),
  'ip rule flush': () => administrator().flushRules(),
  'a flushed table': () => administrator().flushRoutes(routingTable),
  'a rule of ours removed': async () => {
    const first = "ip -4 rule show | grep 'proto 87' | tail -n 1 | cut -d: -f1";
    await net.lab.user.run(['sh', '-c', `ip -4 rule del priority $(${first})`]);
  },
  // `ip rule restore` adds all rules once more, but for those of priority 0.
  'our rules restored a second time': () =>
    net.lab.user.run([
      'sh',
      '-c',
      `for family in -4 -6; do
         ip $family rule save | ip $family rule restore || exit
         ip $family rule show | grep -v -e 'proto 87' -e '^0:' | cut -d: -f1 | sort -u |
           while read -r others; do ip $family rule del priority $others || exit; done || exit
       done`,
    ]),
  'our chain emptied': () => net.lab.user.run(words('nft flush chain inet waymaker prerouting')),
  'a rule that lets everything pass': () =>
    net.lab.user.run(words('nft insert rule inet waymaker prerouting accept')),
  'what keeps the tunnel’s address from neighbours': () =>
    net.lab.user.run(words('nft delete table arp waymaker')),
  'the device taken down': () => net.lab.user.run(words('ip link set wm0 down')),
} as const;

/** The usual ones: of each kind of thing one that is gone as a whole, and one that is changed in part. */
const usual = [
  'a flushed table',
  'a rule of ours removed',
  'our chain emptied',
  'a rule that lets everything pass',
  'what keeps the tunnel’s address from neighbours',
  'the device taken down',
] as const;

/** What of ours the system has, as text: in one shell, since this is looked at again and again. */
const oursScript = [
  ...['inet', 'arp'].map((family) => `nft --stateless list table ${family} waymaker`),
  ...['-4', '-6'].flatMap((family) => [
    'echo ---',
    `ip -force ${family} -batch - <<END\nrule show\nroute show table ${routingTable}\nEND`,
  ]),
].join('\n');
async function ours(): Promise<string> {
  const { stdout } = await net.lab.user.exec(['sh', '-c', oursScript]);
  // Of rules, those with our number (`proto 87`).
  return stdout
    .split('\n')
    .filter((line) => !/^\d+:\t/.test(line) || line.includes('proto 87'))
    .join('\n');
}

async function putBack(before: string, name = 'what was taken away'): Promise<void> {
  // Not as often as usual: each look starts programs.
  const isRight = async () => ((await ours()) === before ? true : undefined);
  await eventually(`${name} is put right`, isRight, { every: 300 });
}

/** Takes away one thing after the other, and looks that each is put back. */
async function disturbAll(which: readonly string[]): Promise<void> {
  const before = await ours();
  for (const [name, disturb] of Object.entries(disturbances))
    if (which.includes(name)) {
      await disturb();
      await putBack(before, name);
    }
  await expect.poll(() => net.log()).toContain('others took away what protects traffic; it was put back');
}

const reversePathFilters = [1, 2, 0] as const;

test('while connected in mode global, nothing that others do to rules, filter or rp_filter leads anything out', async () => {
  const { user } = net.lab;
  const client = await net.connect({ routing: everything, killSwitch: true });
  await disturbAll(casesOf<string>({ usual, all: Object.keys(disturbances) }));
  expect(client.states.at(-1)).toMatchObject({ state: 'connected' });
  for (const value of reversePathFilters) {
    await administrator().setReversePathFilter(value);
    expect(await net.lab.user.seenFrom(), `rp_filter=${value}`).toBe(addresses.gateway.ipv4);
  }
  // Packets pass again after the device was removed, too.
  const before = await ours();
  let seen = client.states.length;
  await user.run(words('ip link del wm0'));
  await client.until('connected', { seen, after: 'connecting' });
  await putBack(before, 'the removed device');
  expect(await net.lab.user.seenFrom()).toBe(addresses.gateway.ipv4);

  // A rule of another VPN's, of both IP versions.
  const rules = (verb: 'add' | 'del') =>
    Promise.all(
      ['-4', '-6'].map((family) => user.run(words(`ip ${family} rule ${verb} priority 100 lookup main`))),
    );
  await rules('add');
  const besideOthers = await net.lab.capture();
  {
    await using stream = await user.probe.stream('marker', 50);
    expect(await net.lab.user.seenFrom(), 'with another VPN’s rule').toBeUndefined();
    void stream;
  }
  expect(findLeaks(await besideOthers.stop(), 'marker'), 'with another VPN’s rule').toEqual([]);
  await rules('del');
  await expect
    .poll(() => net.lab.user.seenFrom(), { timeout: waitLimit(20_000), interval: 500 })
    .toBe(addresses.gateway.ipv4);

  seen = client.states.length;
  await client.call('disconnect', { reason: 'session-ended' });
  expect(await client.until('disconnected', { seen })).toMatchObject({ blocked: true });
  const whenBlocked = await ours();
  expect(whenBlocked).toContain('unreachable default');
  await using stream = await user.probe.stream('marker');
  const capture = await net.lab.capture();
  await administrator().flushRuleset();
  await putBack(whenBlocked, 'the packet filter');
  await administrator().flushRules();
  await putBack(whenBlocked, 'the rules');
  expect(findLeaks(await capture.stop(), 'marker'), 'blocked').toEqual([]);
  const control = await net.lab.capture();
  await client.call('disconnect', {});
  expect(await net.lab.user.seenFrom()).toBe(addresses.user.ipv4);
  expect(findLeaks(await control.stop(), 'marker'), 'positive control').not.toEqual([]);
  void stream;
});

if (isExhaustive)
  test('while connected in mode pac, what an administrator takes away is put back, whatever rp_filter becomes', async () => {
    const client = await net.connect({ routing: pac });
    const before = await ours();
    await disturbAll(Object.keys(disturbances));
    for (const value of reversePathFilters) {
      await administrator().setReversePathFilter(value);
      expect(await throughProxy(client)).toContain(addresses.inside.ipv4);
    }
    const seen = client.states.length;
    await net.lab.user.run(words('ip link del wm0'));
    await client.until('connected', { seen, after: 'connecting' });
    await putBack(before, 'the removed device');
    await client.call('disconnect', {});
  });

if (isExhaustive)
  describe('what is taken away while nobody watches is put back', () => {
    /** The pid of the program by which the helper watches the packet filter. */
    const watcher = () =>
      eventually('the packet filter is watched', async () => {
        const { stdout } = await net.lab.user.exec(words(`pgrep --parent ${net.pid()} --full nft.*monitor`));
        const pid = Number(stdout.split('\n')[0]);
        return pid > 0 ? pid : undefined;
      });

    test('by a watch that begins late', async () => {
      const [real, slow] = ['nft', 'slow-nft'].map((name) => path.join(net.lab.directory, name));
      await copyFile('/usr/sbin/nft', real ?? '');
      await writeFile(slow ?? '', `#!/bin/sh\n[ "$1" != monitor ] || sleep 3\nexec ${real} "$@"\n`, {
        mode: 0o755,
      });
      await net.end('SIGKILL');
      const mounted = `mount --bind ${slow} /usr/sbin/nft && exec "$@"`;
      await net.start({ under: ['unshare', '--mount', 'sh', '-c', mounted, 'sh'] });
      const client = await net.connect();
      const before = await ours();
      await watcher();
      await administrator().flushRuleset();
      await putBack(before);
      await client.call('disconnect', {});
    });

    test('by a watch that has lost reports', async () => {
      const client = await net.connect();
      const before = await ours();
      const pid = await watcher();
      process.kill(pid, 'SIGSTOP');
      // More than the kernel keeps for who does not read.
      const text = 'x'.repeat(120);
      const rules = `log prefix "${text}" comment "${text}"\n`.repeat(40_000);
      const others = `table inet other {\n  chain other {\n${rules}  }\n}\n`;
      await net.lab.user.run(words('nft -f -'), { input: others });
      await net.lab.user.run(words('nft delete table inet other'));
      await administrator().flushRuleset();
      process.kill(pid, 'SIGCONT');
      await putBack(before);
      await client.call('disconnect', {});
    });
  });

/** What a destination sees that is asked through the proxy. */
async function throughProxy({ states }: TestClient): Promise<string> {
  const state = states.at(-1);
  const routing = state?.state === 'connected' && state.routing;
  const proxy = routing && routing.mode === 'pac' ? routing.proxy?.address : undefined;
  const curl = words(
    `curl --silent --fail --max-time ${Math.ceil(waitLimit(10_000) / 1000)} --proxy socks5h://${proxy}`,
  );
  return net.lab.user.run([...curl, `http://${addresses.inside.ipv4}/`]);
}

if (isExhaustive)
  test('a device of our name that is not ours is left alone, and with the kill switch traffic is blocked', async () => {
    await net.lab.user.run(words('ip tuntap add dev wm0 mode tun'));
    const client = await net.attach();
    await client.call('connect', net.request({ session: await net.signIn(), killSwitch: true }));
    expect(await client.until('disconnected', { seen: 1 })).toEqual({
      state: 'disconnected',
      reason: 'configuration-failed',
      blocked: true,
    });
    expect(await ours()).toContain('chain output');
    expect(await net.lab.user.seenFrom()).toBeUndefined();
    await net.end('SIGKILL');
    await net.start();
    expect(await net.lab.user.seenFrom()).toBeUndefined();
    const next = await net.attach();
    await next.call('disconnect', {});
    expect(await net.lab.user.seenFrom()).toBe(addresses.user.ipv4);
    expect(await net.lab.user.run(words('ip link show wm0'))).toContain('wm0');
    await net.lab.user.run(words('ip link del wm0'));
    expect(await net.lab.user.snapshot()).toBe(net.initialSnapshot);
  });

test('where new devices have no IPv6, IPv4 is tunnelled and IPv6 is blocked', async () => {
  const setDisabled = (value: 0 | 1) =>
    net.lab.user.run(words(`sysctl -qw net.ipv6.conf.default.disable_ipv6=${value}`));
  await setDisabled(1);
  const client = await net.connect();
  expect(await net.lab.user.seenFrom()).toBe(addresses.gateway.ipv4);
  expect(await net.lab.user.probe.http6('where')).toBeUndefined();
  await client.call('disconnect', {});
  await setDisabled(0);
});

if (isExhaustive)
  test('where IPv6 is switched off while connected, IPv4 goes on through the tunnel', async () => {
    const client = await net.connect();
    const seen = client.states.length;
    await net.lab.user.run(words('sysctl -qw net.ipv6.conf.all.disable_ipv6=1'));
    // The rest of the device is looked after.
    await net.lab.user.run(words('ip link set dev wm0 mtu 1300'));
    await expect.poll(() => net.lab.user.run(words('ip -o link show dev wm0'))).not.toContain('mtu 1300');
    expect(net.log()).not.toContain('could not be put back');
    await net.killEngines();
    expect(await client.until('connected', { seen, after: 'connecting' })).not.toHaveProperty(
      'addresses.ipv6',
    );
    expect(await net.lab.user.seenFrom()).toBe(addresses.gateway.ipv4);
    await client.call('disconnect', {});
  });
