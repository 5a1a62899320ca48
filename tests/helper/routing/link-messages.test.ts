import { afterAll, beforeAll, expect, test } from 'vitest';
import { addresses } from '../../lab/network/addresses.ts';
import { createNeighbour } from '../../lab/network/neighbour.ts';
import { sendOddPacket } from '../../lab/packets/odd-packet.ts';
import type { OddPacket } from '../../lab/packets/send-packet.ts';
import { eventually } from '../../lab/runs/process.ts';
import { casesOf } from '../../lab/runs/thoroughness.ts';
import { createHelperLab, type HelperLab } from '../support/helper-lab.ts';

/** What keeps a link alive may go past the tunnel, and nothing that only looks like it. */

const marker = Buffer.from('smuggled').toString('hex');
let net: HelperLab;

beforeAll(async () => {
  net = await createHelperLab();
  // Else nothing would be sent, there being no hardware address to send it to.
  await createNeighbour(net.lab.user, net.lab.internet);
  await net.start();
});
afterAll(() => net[Symbol.asyncDispose]());

const own: string[] = [addresses.user, addresses.userPrivate].flatMap(({ ipv4, ipv6 }) => [ipv4, ipv6]);

/** Where packets with the marker went that were captured on the uplink. */
async function whereSent(packets: readonly Omit<OddPacket, 'device'>[]): Promise<string[]> {
  const capture = await net.lab.capture();
  for (const packet of packets) await sendOddPacket(net.lab.user, { ...packet, device: 'uplink' });
  return (
    (await capture.stop())
      // Errors that come back quote what was sent.
      .filter(({ payload, destination }) => payload.includes('smuggled') && !own.includes(destination))
      .map(({ destination }) => destination)
      // What waits for a neighbour's answer may be overtaken.
      .toSorted()
  );
}

const dhcp = (destination: string) => ({
  destination,
  ports: { source: 68, destination: 67 },
  payload: marker,
});
const dhcpv6 = (destination: string) => ({
  destination,
  ports: { source: 546, destination: 547 },
  payload: marker,
});
/** A neighbour advertisement (RFC 4861 §4.4) with more than it should have. */
const neighbourAdvertisement = (destination: string) => ({
  destination,
  payload: `88${'00'.repeat(23)}${marker}`,
});

const far = [
  dhcp(addresses.echo.ipv4),
  dhcpv6(addresses.echo.ipv6),
  neighbourAdvertisement(addresses.echo.ipv6),
];
const near = [
  dhcp('255.255.255.255'),
  dhcp(addresses.router.ipv4),
  dhcp(addresses.neighbour.ipv4),
  dhcpv6('ff02::1:2'),
  neighbourAdvertisement('ff02::1'),
  neighbourAdvertisement(addresses.router.ipv6),
  neighbourAdvertisement(addresses.neighbour.ipv6),
];
const destinations = (packets: readonly { destination: string }[]) =>
  packets.map(({ destination }) => destination).toSorted();

const add = async (family: '-4' | '-6', router: string) => {
  const { user } = net.lab;
  await user.run(['ip', family, 'route', 'add', 'default', 'via', router, 'metric', '7']);
  const added = await user.run(['ip', family, 'route', 'show', 'default', 'metric', '7']);
  await user.run(['ip', family, 'route', 'del', 'default', 'metric', '7']);
  return added;
};

test.each(casesOf({ usual: [false], all: [false, true] }))(
  'nothing reaches far hosts from the ports of DHCP or as neighbour discovery, all that is near does (local network: %s)',
  async (localNetwork) => {
    expect(await whereSent(far)).toEqual(destinations(far));
    const client = await net.connect({ routing: { mode: 'global', localNetwork } });
    expect(await whereSent(far)).toEqual([]);
    expect(await whereSent(near)).toEqual(destinations(near));
    // A default route without a device finds its next hop on the uplink, as without a tunnel.
    expect(await add('-4', addresses.router.ipv4)).toContain('dev uplink');
    expect(await add('-6', addresses.router.ipv6)).toContain('dev uplink');
    await client.call('disconnect', {});
  },
);

/**
 * A switch or bridge that listens in passes neighbours' questions on only to where their group has been reported
 * (RFC 4541 §3): without reports, nobody would find this machine's IPv6 addresses after some minutes.
 */
test('the groups of neighbour discovery are reported on the link, without a tunnel and with one', async () => {
  const { user } = net.lab;
  async function expectReport(when: string, host: number): Promise<void> {
    const address = `2001:db8:1::${host}/64`;
    const group = Buffer.from(`ff0200000000000000000001ff0000${host}`, 'hex');
    const capture = await net.lab.capture('ip6 dst host ff02::16');
    await user.run(['ip', 'address', 'add', address, 'dev', 'uplink', 'nodad']);
    await eventually(
      `the group is reported ${when}`,
      async () => (await capture.packets()).some(({ payload }) => payload.includes(group)) || undefined,
    );
    await capture.stop();
    await user.run(['ip', 'address', 'del', address, 'dev', 'uplink']);
  }
  await expectReport('without a tunnel', 71);
  const client = await net.connect({ killSwitch: true });
  await expectReport('while connected', 72);
  await client.call('disconnect', {});
});
