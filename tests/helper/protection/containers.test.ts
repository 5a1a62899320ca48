import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Routing } from '#shared/tunnel/state.ts';
import { addresses, names, type AddressPair } from '../../lab/network/addresses.ts';
import { startContainer, type Container, type ContainerOptions } from '../../lab/machine/container.ts';
import { findLeaks } from '../../lab/packets/leaks.ts';
import { setKernel } from '../../lab/network/network.ts';
import { curlLimits } from '../../lab/probes/probe.ts';
import { addressIn, curl, url } from '../support/programs/program-lab.ts';
import { runInGroup } from '../support/programs/grouped-process.ts';
import type { TestClient } from '../support/callers/test-client.ts';
import { createHelperLab, type HelperLab } from '../support/helper-lab.ts';
import { isExhaustive } from '../../lab/runs/thoroughness.ts';

/** A machine with containers, whose networks are its own. */

const closed: Routing = { mode: 'global', localNetwork: false };
const open: Routing = { mode: 'global', localNetwork: true };
const pac: Routing = { mode: 'pac', routeDomains: [names.where], blockedDomains: [] };
const byApp = (policy: 'include' | 'exclude'): Routing => ({ mode: 'app', policy, localNetwork: false });
const byAddress = (policy: 'include' | 'exclude', hosts: AddressPair[]): Routing => ({
  mode: 'ip',
  policy,
  routeIps: hosts.flatMap(({ ipv4, ipv6 }) => [`${ipv4}/32`, `${ipv6}/128`]),
  localNetwork: false,
});

let net: HelperLab;
let container: Container;

async function build(options?: ContainerOptions): Promise<string> {
  net = await createHelperLab();
  container = await startContainer(net.lab.user, net.lab.directory, options);
  await net.start();
  return net.lab.user.snapshot();
}
const remove = () => net[Symbol.asyncDispose]();

/** The sources from which the container is seen in the internet, over both IP versions. */
async function seenFrom(): Promise<(string | undefined)[]> {
  const { http4, http6 } = container.probe;
  return (await Promise.all([http4('marker'), http6('marker')])).map((reply) => reply?.address);
}

/** The sources from which the container sees its host. */
async function hostSeenFrom(): Promise<(string | undefined)[]> {
  const replies = await Promise.all(
    [addresses.container.ipv4, `[${addresses.container.ipv6}]`].map((host) =>
      net.lab.user.exec(['curl', '-s', ...curlLimits(), `http://${host}/x`]),
    ),
  );
  return replies.map(({ code, stdout }) =>
    code === 0 ? (JSON.parse(stdout) as { address: string }).address : undefined,
  );
}

async function expectLocalTraffic(): Promise<void> {
  expect(await hostSeenFrom()).toEqual(Object.values(addresses.bridge));
  for (const host of Object.values(addresses.bridge))
    expect(await container.exec(['ping', '-c1', '-W2', host])).toMatchObject({ code: 0 });
}

/** What leaves the machine's uplink outside the tunnel while its container sends what it can. */
async function leaksOfContainer() {
  const capture = await net.lab.capture();
  // One after the other: of many errors the kernel tells a container only some.
  const seen = await seenFrom();
  const stream = await container.probe.stream('marker', 20);
  await stream[Symbol.asyncDispose]();
  return { seen, leaks: findLeaks(await capture.stop(), 'marker') };
}

/** Where a program in the group is seen from: in the internet, by the container, and in its network in the internet. */
async function groupSeenFrom(client: TestClient) {
  const enter = container.command([]).flat().join(' ');
  const ask = [
    `${curl} ${url(addresses.echo.ipv4)}; echo`,
    `${curl} ${url(addresses.container.ipv4)}; echo`,
    `${enter} ${curl} ${url(addresses.echo.ipv4)}; echo`,
  ];
  const { stdout } = await runInGroup(net.lab.user, { uid: 0, client }, ask.join('\n'));
  return stdout.split('\n').slice(0, ask.length).map(addressIn);
}

const setForwarding = (value: 0 | 1) =>
  setKernel(net.lab.user, [`net.ipv4.ip_forward=${value}`, `net.ipv6.conf.all.forwarding=${value}`]);

const throughTunnel = Object.values(addresses.gateway);
const direct = Object.values(addresses.user);
const nowhere = [undefined, undefined];

describe('with masquerading as Docker has it', () => {
  let before: string;
  beforeAll(async () => {
    before = await build();
  });
  afterEach(async () => {
    using client = await net.attach();
    await client.call('disconnect', {});
    await net.lab.setGatewayReachable(true);
  });
  afterAll(async () => {
    await container[Symbol.asyncDispose]();
    await remove();
  });

  /** A neighbour asks for what is in the tunnel, by way of the machine. */
  async function expectNoWayIn() {
    const { user, internet } = net.lab;
    const { inside, userPrivate, neighbour } = addresses;
    expect(await user.probe.http4('x')).toMatchObject({ address: addresses.gateway.ipv4 });
    await internet.run(['ip', 'route', 'add', inside.ipv4, 'via', userPrivate.ipv4, 'src', neighbour.ipv4]);
    const asked = await internet.exec(['curl', '-s', '--max-time', '2', `http://${inside.ipv4}/x`]);
    expect(asked.code).not.toBe(0);
    await internet.run(['ip', 'route', 'del', inside.ipv4]);
  }

  /** What is asked from either side of the machine, with this routing, goes no further. */
  async function expectNeighboursApart(client: TestClient, routing: Routing) {
    const { user, gatewayMachine } = net.lab;
    // Docker's own chain drops such packets; where something else forwards, nothing does.
    const setPolicy = async (policy: 'accept' | 'drop') => {
      for (const family of ['ip', 'ip6'])
        await user.run(['nft', `add chain ${family} filter FORWARD { policy ${policy}; }`]);
    };
    await setPolicy('accept');
    const { addresses: own } = await client.until('connected');
    if (routing === open) await expectNoWayIn();
    const targets = Object.values(addresses.neighbour);
    // Nothing that is forwarded has to wait for its neighbour's hardware address.
    for (const to of targets) await user.run(['ping', '-c1', '-W5', to]);
    const capture = await net.lab.capture();
    const tunnel = "$(ls /sys/class/net | grep '^vpns')";
    const send = targets.map(
      (to) => `ip route add ${to} dev ${tunnel} && echo marker >/dev/udp/${to}/7 && ip route del ${to}`,
    );
    await gatewayMachine.run(['bash', '-c', send.join(' && ')]);
    // What answers has come after them.
    await user.run(['ping', '-c1', '-W5', '-I', own.ipv4 ?? '', addresses.inside.ipv4]);
    const seen = await capture.stop();
    expect(seen.filter(({ payload }) => payload.includes('marker'))).toEqual([]);
    await setPolicy('drop');
  }

  test('containers go with the machine by the routing mode, and neighbours do not get into the tunnel', async () => {
    const control = await leaksOfContainer();
    expect(control.seen, 'without a tunnel').toEqual(direct);
    expect(control.leaks.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['cleartext', 'dns']));
    await expectLocalTraffic();

    const client = await net.connect({ routing: closed, killSwitch: true });
    expect(await leaksOfContainer(), 'global').toEqual({ seen: throughTunnel, leaks: [] });
    await expectLocalTraffic();
    const route = (routing: Routing) => client.call('setRouting', { routing, killSwitch: true });
    await setForwarding(0);
    await expect.poll(seenFrom).toEqual(nowhere);
    await setForwarding(1);
    await expect.poll(seenFrom).toEqual(throughTunnel);
    await route(open);
    expect(await seenFrom(), 'local network').toEqual(throughTunnel);
    await expectNeighboursApart(client, open);
    await route(pac);
    expect(await seenFrom(), 'automatic, as all that uses no proxy').toEqual(direct);
    await route(byApp('include'));
    expect(await seenFrom(), 'only these apps').toEqual(direct);
    expect(await groupSeenFrom(client)).toEqual([
      addresses.gateway.ipv4,
      addresses.bridge.ipv4,
      addresses.user.ipv4,
    ]);
    await route(byApp('exclude'));
    expect(await seenFrom(), 'all except these apps').toEqual(throughTunnel);
    expect(await groupSeenFrom(client)).toEqual([
      addresses.user.ipv4,
      addresses.bridge.ipv4,
      addresses.gateway.ipv4,
    ]);
    const { echo, resolver, inside } = addresses;
    await route(byAddress('include', [echo, resolver, inside]));
    expect(await seenFrom(), 'by address').toEqual(throughTunnel);
    await route(byAddress('include', [resolver]));
    expect(await seenFrom(), 'by another address').toEqual(direct);
    await expectLocalTraffic();

    await route(closed);
    await net.lab.setGatewayReachable(false);
    const seen = client.states.length;
    await net.killEngines();
    await client.until('connecting', { seen });
    expect(await leaksOfContainer(), 'connecting again').toEqual({ seen: nowhere, leaks: [] });
    await net.lab.setGatewayReachable(true);
    await client.until('connected', { seen, after: 'connecting' });
    expect(await seenFrom()).toEqual(throughTunnel);
    await client.call('disconnect', { reason: 'session-ended' });
    expect(await leaksOfContainer(), 'blocked').toEqual({ seen: nowhere, leaks: [] });
    await expectLocalTraffic();
    await client.call('disconnect', {});
    expect(await seenFrom()).toEqual(direct);
    expect(await net.lab.user.snapshot()).toBe(before);
  });

  if (isExhaustive)
    test.each([closed, open])(
      'with $mode routing (local network: $localNetwork) it sees the gateway',
      async (routing) => {
        const client = await net.connect({ routing });
        expect(await leaksOfContainer()).toEqual({ seen: throughTunnel, leaks: [] });
        await expectLocalTraffic();
        await client.call('disconnect', {});
        expect(await seenFrom()).toEqual(direct);
        expect(await net.lab.user.snapshot()).toBe(before);
      },
    );

  if (isExhaustive)
    test('with automatic routing containers go direct, as all that uses no proxy', async () => {
      const client = await net.connect({ routing: pac });
      expect(await seenFrom()).toEqual(direct);
      await expectNeighboursApart(client, pac);
      await expectLocalTraffic();
      await client.call('setRouting', { routing: closed });
      expect(await leaksOfContainer()).toEqual({ seen: throughTunnel, leaks: [] });
      await expectLocalTraffic();
      await client.call('setRouting', { routing: pac });
      expect(await seenFrom()).toEqual(direct);
      await client.call('disconnect', {});
    });

  if (isExhaustive)
    test('by app, containers are never the group’s, and blocked only with all the others', async () => {
      const { user } = net.lab;
      const client = await net.connect({ routing: byApp('include'), killSwitch: true });
      const atContainer = addresses.bridge.ipv4;
      const control = await leaksOfContainer();
      expect(control.seen).toEqual(direct);
      expect(control.leaks).not.toEqual([]);
      expect(await groupSeenFrom(client)).toEqual([addresses.gateway.ipv4, atContainer, addresses.user.ipv4]);
      await expectLocalTraffic();
      await client.call('setRouting', { routing: byApp('exclude') });
      expect(await leaksOfContainer()).toEqual({ seen: throughTunnel, leaks: [] });
      expect(await groupSeenFrom(client)).toEqual([addresses.user.ipv4, atContainer, addresses.gateway.ipv4]);
      await expectLocalTraffic();
      await client.call('disconnect', { reason: 'session-ended' });
      expect(await leaksOfContainer()).toEqual({ seen: nowhere, leaks: [] });
      expect(await groupSeenFrom(client)).toEqual([addresses.user.ipv4, atContainer, undefined]);
      await expectLocalTraffic();
      await client.call('disconnect', {});
      const session = await net.signIn();
      const seen = client.states.length;
      await client.call('connect', net.request({ session, routing: byApp('include'), killSwitch: true }));
      await client.until('connected', { seen });
      await client.call('disconnect', { reason: 'session-ended' });
      expect(await seenFrom()).toEqual(direct);
      expect(await groupSeenFrom(client)).toEqual([undefined, atContainer, addresses.user.ipv4]);
      await expectLocalTraffic();
      await client.call('disconnect', {});
      expect(await user.snapshot()).toBe(before);
    });

  if (isExhaustive)
    test('blocked by the kill switch, nothing leaves and what is inside goes on', async () => {
      const client = await net.connect({ killSwitch: true });
      await client.call('disconnect', { reason: 'session-ended' });
      expect(await leaksOfContainer()).toEqual({ seen: nowhere, leaks: [] });
      await expectLocalTraffic();
      await net.end('SIGKILL');
      await net.start();
      expect(await leaksOfContainer()).toEqual({ seen: nowhere, leaks: [] });
      await expectLocalTraffic();
      await (await net.attach()).call('disconnect', {});
      expect(await seenFrom()).toEqual(direct);
    });

  if (isExhaustive)
    test('while the tunnel is recreated, nothing leaves and what is inside goes on', async () => {
      const client = await net.connect({ killSwitch: true });
      await net.lab.setGatewayReachable(false);
      const seen = client.states.length;
      await net.killEngines();
      await client.until('connecting', { seen });
      expect(await leaksOfContainer()).toEqual({ seen: nowhere, leaks: [] });
      await expectLocalTraffic();
      await net.lab.setGatewayReachable(true);
      await client.until('connected', { seen, after: 'connecting' });
      expect(await seenFrom()).toEqual(throughTunnel);
      await client.call('disconnect', {});
    });

  if (isExhaustive)
    test('a bridge that comes while connected is local from then on', async () => {
      const { user } = net.lab;
      const client = await net.connect();
      await user.run(['ip', 'link', 'add', 'virbr9', 'type', 'bridge']);
      await user.run(['ip', 'address', 'add', '192.168.122.1/24', 'dev', 'virbr9']);
      await user.run(['ip', 'link', 'set', 'virbr9', 'up']);
      await expect.poll(() => user.run(['ip', 'route', 'get', '192.168.122.7'])).toContain('dev virbr9');
      await user.run(['ip', 'link', 'del', 'virbr9']);
      await expect.poll(() => user.run(['ip', 'route', 'get', '192.168.122.7'])).toContain('dev wm0');
      await client.call('disconnect', {});
    });

  if (isExhaustive)
    test('a machine that begins to forward while connected takes its containers into the tunnel', async () => {
      await setForwarding(0);
      const client = await net.connect();
      expect(await leaksOfContainer()).toEqual({ seen: nowhere, leaks: [] });
      await setForwarding(1);
      await expect.poll(seenFrom).toEqual(throughTunnel);
      expect(await leaksOfContainer()).toEqual({ seen: throughTunnel, leaks: [] });
      await client.call('disconnect', {});
    });

  test('where links forward one by one, and new ones do not, its containers are in the tunnel as well', async () => {
    await setForwarding(0);
    await setKernel(
      net.lab.user,
      ['docker0', 'uplink'].map((link) => `net.ipv4.conf.${link}.forwarding=1`),
    );
    const [control] = await seenFrom();
    expect(control).toBe(addresses.user.ipv4);
    const client = await net.connect();
    expect(await seenFrom()).toEqual([addresses.gateway.ipv4, undefined]);
    // Somebody applies the machine's settings once more.
    await setKernel(net.lab.user, ['net.ipv4.conf.wm0.forwarding=0']);
    await expect.poll(async () => (await seenFrom())[0]).toBe(addresses.gateway.ipv4);
    await client.call('disconnect', {});
    await setForwarding(1);
  });
});

if (isExhaustive)
  test('masquerading that is for the uplink only, and strict reverse path filtering, do not keep them out', async () => {
    await build({ masquerade: 'to-uplink' });
    try {
      for (const device of ['all', 'default', 'uplink', 'docker0'])
        await net.lab.user.run(['sysctl', '-qw', `net.ipv4.conf.${device}.rp_filter=1`]);
      expect(await seenFrom()).toEqual(direct);
      const client = await net.connect();
      expect(await leaksOfContainer()).toEqual({ seen: throughTunnel, leaks: [] });
      await expectLocalTraffic();
      // By address they go as their host does.
      const { echo, resolver, inside } = addresses;
      await client.call('setRouting', { routing: byAddress('include', [echo, resolver, inside]) });
      expect(await leaksOfContainer()).toEqual({ seen: throughTunnel, leaks: [] });
      await expectLocalTraffic();
      await client.call('setRouting', { routing: byAddress('exclude', [echo]) });
      expect(await seenFrom()).toEqual(direct);
      await expectLocalTraffic();
      await client.call('setRouting', { routing: byAddress('include', [resolver]) });
      expect(await seenFrom()).toEqual(direct);
      await client.call('setRouting', {
        routing: byAddress('include', [echo, resolver, inside]),
        killSwitch: true,
      });
      await client.call('disconnect', { reason: 'session-ended' });
      expect(await leaksOfContainer()).toEqual({ seen: nowhere, leaks: [] });
      await expectLocalTraffic();
      await client.call('disconnect', {});
      expect(await seenFrom()).toEqual(direct);
      // So they do where a server has named its networks.
      await net.lab.gateway.restart({ options: [`route = ${echo.ipv4}/32`, `route = ${echo.ipv6}/128`] });
      const split = await net.connect({ split: true, killSwitch: true });
      const seenElsewhere = async () => {
        const { stdout } = await container.exec(['sh', '-c', `${curl} ${url(addresses.direct.ipv4)}`]);
        return addressIn(stdout);
      };
      expect([await seenFrom(), await seenElsewhere()]).toEqual([throughTunnel, addresses.user.ipv4]);
      await expectLocalTraffic();
      await split.call('disconnect', { reason: 'session-ended' });
      expect([await seenFrom(), await seenElsewhere()]).toEqual([nowhere, addresses.user.ipv4]);
      await expectLocalTraffic();
      await split.call('disconnect', {});
      expect(await seenFrom()).toEqual(direct);
    } finally {
      await remove();
    }
  });
