import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Routing } from '#shared/tunnel/state.ts';
import { addresses } from '../../lab/network/addresses.ts';
import { createMachine, removeNamespace, type Machine } from '../../lab/machine/machine.ts';
import { address, defaultRoutes, ipBatch, setKernel } from '../../lab/network/network.ts';
import { curlLimits } from '../../lab/probes/probe.ts';
import { run, words } from '../../lab/runs/process.ts';
import { addressIn, curl, url } from '../support/programs/program-lab.ts';
import { createHelperLab, type HelperLab } from '../support/helper-lab.ts';
import { casesOf, isExhaustive } from '../../lab/runs/thoroughness.ts';

/** A machine whose uplink is in a bridge, as with virtual machines that are guests of its network. */

const closed: Routing = { mode: 'global', localNetwork: false };

let net: HelperLab;

describe('a bridge that leads out of the machine is no network of its own:', () => {
  let guest: Machine | undefined;
  beforeAll(async () => {
    net = await createHelperLab();
  });
  afterAll(async () => {
    const { user } = net.lab;
    if (guest) await removeNamespace(guest.namespace);
    // As the laboratory was made, for whoever has it next.
    await ipBatch(user, [
      'link del br0',
      ...address(addresses.user, 24, 'uplink'),
      ...address(addresses.userPrivate, 24, 'uplink'),
      ...defaultRoutes(addresses.router),
    ]);
    await net[Symbol.asyncDispose]();
  });

  /** The source from which somebody on the attached private network sees the machine. */
  const neighbourSees = async () => {
    const { code, stdout } = await net.lab.user.exec([
      'curl',
      '-s',
      ...curlLimits(),
      `http://${addresses.neighbour.ipv4}/x`,
    ]);
    return code === 0 ? (JSON.parse(stdout) as { address: string }).address : undefined;
  };

  test('the uplink is in it, also when that is the way out no more', async () => {
    const { user } = net.lab;
    await user.run(['ip', '-6', 'route', 'del', 'default']);
    await user.run(['ip', '-batch', '-'], {
      input: [
        'link add br0 type bridge',
        'link set br0 up',
        'address flush dev uplink',
        'link set uplink master br0',
        `address add ${addresses.user.ipv4}/24 dev br0`,
        `address add ${addresses.user.ipv6}/64 dev br0 nodad`,
        `address add ${addresses.userPrivate.ipv4}/24 dev br0`,
        `route add default via ${addresses.router.ipv4}`,
        `route add default via ${addresses.router.ipv6}`,
      ].join('\n'),
    });
    await net.start();
    expect(await neighbourSees()).toBe(addresses.userPrivate.ipv4);
    const client = await net.connect({ killSwitch: true });
    expect(await user.probe.http4('x')).toMatchObject({ address: addresses.gateway.ipv4 });
    const capture = await net.lab.capture(
      `ip and (host ${addresses.neighbour.ipv4} or host ${addresses.echo.ipv4})`,
    );
    expect(await neighbourSees()).not.toBe(addresses.userPrivate.ipv4);
    if (isExhaustive) {
      for (const family of ['-4', '-6']) await user.run(['ip', family, 'route', 'del', 'default']);
      await client.until('connecting', { seen: 1 });
      expect(await neighbourSees()).not.toBe(addresses.userPrivate.ipv4);
      for (const host of Object.values(addresses.router))
        await user.run(['ip', 'route', 'add', 'default', 'via', host, 'dev', 'br0']);
    }
    expect(await capture.stop()).toEqual([]);
    await client.call('disconnect', {});
    expect(await neighbourSees()).toBe(addresses.userPrivate.ipv4);
  });

  test('it leads out where it has a default route without a router, too', async () => {
    const { user } = net.lab;
    const search = path.resolve(import.meta.dirname, '../../../helper/linux/routing/network-search.ts');
    const command = path.resolve(import.meta.dirname, '../../../helper/posix/command.ts');
    const script = `
      const { createNetworkSearch } = await import('${search}');
      const { runCommand } = await import('${command}');
      const { internal } = await createNetworkSearch(runCommand)();
      console.log(internal.devices.join());`;
    const internal = async () =>
      (await user.run([process.execPath, '--input-type=module', '--eval', script])).trim();
    for (const family of ['-4', '-6']) await user.run(['ip', family, 'route', 'del', 'default']);
    expect(await internal(), 'its only port is one end of a pair').toBe('br0');
    await user.run(words('ip route add default dev br0'));
    expect(await internal()).toBe('');
    await user.run(words('ip route del default'));
    for (const host of Object.values(addresses.router))
      await user.run(['ip', 'route', 'add', 'default', 'via', host, 'dev', 'br0']);
  });

  test('its guests and those of macvlan are machines of their own, whatever is true of this one', async () => {
    const { user, directory } = net.lab;
    const machine = await createMachine(user.namespace.replace(/u$/, 'c'), directory, '');
    guest = machine;
    await setKernel(machine, ['net.ipv4.conf.all.arp_ignore=1']);
    const inUser = `ip -n ${user.namespace} link`;
    await run(
      words(`${inUser} add guest0 master br0 up type veth peer name eth0 netns ${machine.namespace}`),
    );
    await run(words(`${inUser} add macvlan0 link br0 type macvlan mode bridge`));
    await run(words(`${inUser} set macvlan0 netns ${machine.namespace}`));
    const guests = { eth0: '192.0.2.20', macvlan0: '192.0.2.21' };
    for (const [device, own] of Object.entries(guests))
      await ipBatch(machine, [
        `link set ${device} up`,
        `address add ${own}/24 dev ${device}`,
        `route add default via ${addresses.router.ipv4} dev ${device} metric ${own.slice(-2)}`,
      ]);
    /** What each of them is seen as in the internet and by the router, which is a neighbour. */
    const seen = async () =>
      await Promise.all(
        Object.keys(guests).flatMap((device) =>
          [addresses.echo.ipv4, addresses.router.ipv4].map(async (host) => {
            const { stdout } = await machine.exec(['sh', '-c', `${curl} --interface ${device} ${url(host)}`]);
            return addressIn(stdout);
          }),
        ),
      );
    const asThemselves = Object.values(guests).flatMap((own) => [own, own]);
    expect(await seen()).toEqual(asThemselves);
    const client = await net.connect({ killSwitch: true });
    const reset = async (value: 0 | 1) =>
      await setKernel(
        user,
        ['iptables', 'ip6tables'].map((name) => `net.bridge.bridge-nf-call-${name}=${value}`),
      );
    const alike = async (state: string) => {
      for (const value of casesOf<0 | 1>({ usual: [1], all: [0, 1] })) {
        await reset(value);
        expect(await seen(), `${state}, bridge-nf-call-iptables=${value}`).toEqual(asThemselves);
      }
    };
    await alike('connected');
    expect(await user.probe.http4('x')).toMatchObject({ address: addresses.gateway.ipv4 });
    const routing: Routing = {
      mode: 'ip',
      policy: 'include',
      routeIps: ['203.0.113.0/24'],
      localNetwork: false,
    };
    await client.call('setRouting', { routing });
    await alike('by address');
    await client.call('setRouting', { routing: closed });
    await client.call('disconnect', { reason: 'session-ended' });
    await alike('blocked');
    expect(await user.probe.http4('x')).toBeUndefined();
    await client.call('disconnect', {});
    await user.run(['ip', 'link', 'del', 'guest0']);
  });

  if (isExhaustive)
    test('a tunnel to elsewhere is in it', async () => {
      const { user } = net.lab;
      const client = await net.connect();
      for (const line of [
        'link add br1 type bridge',
        'address add 10.77.0.1/24 dev br1',
        'link set br1 up',
        'link add far1 type vxlan id 5 dstport 4789 remote 203.0.113.80 dev br0',
        'link set far1 master br1',
        'link set far1 up',
      ])
        await user.run(['ip', ...line.split(' ')]);
      await user.run(['ip', 'link', 'add', 'br2', 'type', 'bridge']);
      await user.run(['ip', 'address', 'add', '10.78.0.1/24', 'dev', 'br2']);
      await user.run(['ip', 'link', 'set', 'br2', 'up']);
      // The one that leads nowhere is local by now, so the other one has been judged too.
      await expect.poll(() => user.run(['ip', 'route', 'get', '10.78.0.7'])).toContain('dev br2');
      expect(await user.run(['ip', 'route', 'get', '10.77.0.7'])).toContain('dev wm0');
      await client.call('disconnect', {});
    });
});
