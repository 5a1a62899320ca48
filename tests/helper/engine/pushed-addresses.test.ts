import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { ConnectRequest } from '#shared/helper/protocol.ts';
import type { Routing } from '#shared/tunnel/state.ts';
import { addresses, names } from '../../lab/network/addresses.ts';
import { icmpv6Packet } from '../../lab/packets/icmpv6-packet.ts';
import { routerAdvertisement } from '../../lab/packets/router-advertisement.ts';
import { createNeighbour } from '../../lab/network/neighbour.ts';
import {
  startHostileGateway,
  usableHeaders,
  type HostileGateway,
} from '../../lab/gateway/hostile-gateway.ts';
import { words } from '../../lab/runs/process.ts';
import { casesOf } from '../../lab/runs/thoroughness.ts';
import { createHelperLab, type HelperLab } from '../support/helper-lab.ts';
import type { TestClient } from '../support/callers/test-client.ts';

/** A gateway that pushes addresses which are not its to give. */

let net: HelperLab;
let gateway: HostileGateway;

beforeAll(async () => {
  net = await createHelperLab({ gateway: false });
  gateway = await startHostileGateway(net.lab.gatewayMachine, net.lab.directory, net.lab.gateway);
  await net.start();
});
afterEach(async () => {
  using client = await net.attach();
  await client.call('disconnect', {});
});
afterAll(() => net[Symbol.asyncDispose]());

const ipv4Header = (address: string) =>
  [
    ['X-CSTP-Address', address],
    ['X-CSTP-Netmask', '255.255.255.255'],
  ] as const;
const ipv6Header = (address: string) => [['X-CSTP-Address-IP6', `${address}/128`]] as const;

/** Connects to what it pushes now, until there is a tunnel or the helper has given up. */
async function connect(routing: Routing, changes?: Partial<ConnectRequest>): Promise<TestClient> {
  const client = await net.attach();
  const seen = client.states.length;
  await client.call('connect', net.request({ session: gateway.session, routing, ...changes }));
  await Promise.race([
    client.until('connected', { seen }).catch(() => undefined),
    client.until('disconnected', { seen }).catch(() => undefined),
  ]);
  return client;
}

test('an address that is its to give is taken, and packets reach it', async () => {
  await gateway.push([...usableHeaders, ...ipv4Header('198.51.100.140'), ...ipv6Header('2001:db8:2:100::9')]);
  using client = await connect({ mode: 'global', localNetwork: false });
  expect(client.states.at(-1)).toMatchObject({
    state: 'connected',
    addresses: { ipv4: '198.51.100.140', ipv6: '2001:db8:2:100::9' },
  });
  await Promise.all([net.lab.user.probe.udp4('into'), net.lab.user.probe.udp6('into')]);
  await expect
    .poll(async () => (await gateway.packets()).map(({ source }) => source))
    .toEqual(expect.arrayContaining(['198.51.100.140', '2001:db8:2:100::9']));
  await client.call('disconnect', {});
  const asked = await gateway.asked();
  expect(asked).toMatch(/^User-Agent: Open AnyConnect VPN Agent v9\.12 /im);
  // A network that loses large packets lets each through.
  const lengths = asked.split('\r\n\r\n').map((head) => head.length);
  expect(Math.max(...lengths)).toBeLessThan(1_200);
});

const usable4 = ipv4Header('198.51.100.140');

/** Pushed address by what is wrong with it; those of IPv6 come with a usable one of IPv4. */
const refused = {
  'the machine’s own': addresses.user.ipv4,
  'inside a network that is attached': '192.0.2.77',
  'inside a private network that is attached': '192.168.37.77',
  'the router’s': addresses.router.ipv4,
  'the gateway’s': addresses.gateway.ipv4,
  loopback: '127.0.0.2',
  'link-local': '169.254.10.10',
  multicast: '224.0.0.5',
  broadcast: '255.255.255.255',
  nothing: '0.0.0.0',
  'the machine’s own of IPv6': addresses.user.ipv6,
  'inside an attached network of IPv6': '2001:db8:1::77',
  'inside a private attached network of IPv6': 'fd57:4159:1::77',
  'loopback of IPv6': '::1',
  'link-local of IPv6': 'fe80::77',
  'multicast of IPv6': 'ff02::77',
  'nothing of IPv6': '::',
  'IPv4 in IPv6': '::ffff:192.0.2.10',
};

const usual: readonly string[] = ['inside a private network that is attached', 'the machine’s own of IPv6'];
const all = Object.entries(refused);

test.each(casesOf({ usual: all.filter(([name]) => usual.includes(name)), all }))(
  '%s is not taken',
  async (_name, address) => {
    const headers = address.includes(':') ? [...usable4, ...ipv6Header(address)] : ipv4Header(address);
    await gateway.push([...usableHeaders, ...headers]);
    using client = await connect({ mode: 'global', localNetwork: false });
    const state = client.states.at(-1);
    if (state?.state === 'connected') expect(Object.values(state.addresses)).not.toContain(address);
    const device = await net.lab.user.exec(['ip', 'address', 'show', 'dev', 'wm0']);
    expect(device.stdout).not.toContain(` ${address}/`);
  },
);

describe('an address inside a network of containers', () => {
  const docker = { own: '172.17.0.1', assigned: '172.17.0.140', peer: '172.17.0.9' };
  const run = (line: string) => net.lab.user.run(words(line));

  async function connectInside(address: string) {
    await gateway.push([...usableHeaders, ...ipv4Header(address)]);
    const client = await connect({ mode: 'global', localNetwork: false });
    return { client, state: client.states.at(-1) };
  }

  test('is taken as long as nobody is there, and its neighbours are the gateway’s', async () => {
    await run('ip link add docker0 type bridge');
    await run(`ip address add ${docker.own}/16 dev docker0`);
    await run('ip link set docker0 up');
    const unused = await connectInside(docker.assigned);
    using client = unused.client;
    expect(unused.state).toMatchObject({ state: 'connected', addresses: { ipv4: docker.assigned } });
    await net.lab.user.exec(['bash', '-c', `echo x >/dev/udp/${docker.peer}/9`]);
    await expect
      .poll(async () => (await gateway.packets()).map(({ destination }) => destination))
      .toContain(docker.peer);
    await client.call('disconnect', {});

    const own = await connectInside(docker.own);
    expect(own.state).toMatchObject({ state: 'disconnected', reason: 'address-conflict' });
    own.client[Symbol.dispose]();
  });

  test('is refused, with that reason, once somebody is', async () => {
    await run('ip link add veth7 type veth peer name veth8');
    await run('ip link set veth7 master docker0');
    const used = await connectInside(docker.assigned);
    expect(used.state).toMatchObject({ state: 'disconnected', reason: 'address-conflict' });
    expect(net.log()).toContain(`${docker.own}/16`);
    used.client[Symbol.dispose]();
    for (const device of ['veth7', 'docker0']) await run(`ip link del ${device}`);
  });
});

const pushed = [addresses.user, addresses.router, addresses.gateway];

test.each(casesOf({ usual: pushed.slice(0, 1), all: pushed }))(
  'with automatic routing, a pushed $ipv4 and $ipv6 take no traffic of the machine’s',
  async ({ ipv4, ipv6 }) => {
    await gateway.push([...usableHeaders, ...ipv4Header(ipv4), ...ipv6Header(ipv6)]);
    using client = await connect({ mode: 'pac', routeDomains: [names.where], blockedDomains: [] });
    expect(client.states.at(-1)).not.toMatchObject({ addresses: { ipv4 } });
    const { http4, http6 } = net.lab.user.probe;
    const seen = (await Promise.all([http4('x'), http6('x')])).map((reply) => reply?.address);
    expect(seen).toEqual(Object.values(addresses.user));
  },
);

test('with automatic routing, router advertisements out of the tunnel take no traffic of the machine’s', async () => {
  const [own, gatewaysOwn] = ['2001:db8:2:100::9', '2001:db8:2:100::1'];
  const advertised = { onLink: ['2001:db8:3::/64'] };
  const routes = () => net.lab.user.run(words('ip -6 route show table main'));
  await gateway.push([...usableHeaders, ...usable4, ...ipv6Header(own)]);
  const routing: Routing = { mode: 'pac', routeDomains: [names.where], blockedDomains: [] };
  using client = await connect(routing, { allowIncoming: true });
  await gateway.send([
    icmpv6Packet('fe80::1', own, routerAdvertisement(advertised)),
    icmpv6Packet(gatewaysOwn, own, Buffer.from('8000000000070007', 'hex')),
  ]);
  // The echo that was asked for after it.
  await expect
    .poll(async () => (await gateway.packets()).map(({ destination }) => destination))
    .toContain(gatewaysOwn);
  expect(await routes()).not.toContain('2001:db8:3::/64');
  expect((await net.lab.user.probe.http6('x'))?.address).toBe(addresses.user.ipv6);
  await client.call('disconnect', {});
  // On the uplink the kernel takes it.
  const neighbour = await createNeighbour(net.lab.user, net.lab.internet);
  await neighbour.advertise(advertised);
});
