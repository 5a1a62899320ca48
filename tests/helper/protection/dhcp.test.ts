import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { addresses } from '../../lab/network/addresses.ts';
import { startDhcpClient, startDhcpServer, type DhcpServer } from '../../lab/network/dhcp.ts';
import { startNetworkd } from '../../lab/network/networkd.ts';
import { eventually } from '../../lab/runs/process.ts';
import { waitLimit } from '../../lab/runs/wait-limit.ts';
import { helperLabForEach } from '../support/lab-for-each.ts';
import { isExhaustive } from '../../lab/runs/thoroughness.ts';

/** Beside real DHCP clients with their own settings, whose lease is renewed every few seconds. */

const net = helperLabForEach();

/** A client falls back to broadcasts if the server itself does not answer. */
async function expectRenewal(server: DhcpServer, when: string): Promise<void> {
  const capture = await net.lab.capture('udp dst port 67');
  const asked = new Set<string>();
  // One that was asked for before the capture began may be given only now.
  while (asked.size === 0) {
    const leases = server.leases();
    await eventually(`the lease is renewed ${when}`, () => server.leases() > leases || undefined);
    for (const { destination } of await capture.packets()) asked.add(destination);
  }
  await capture.stop();
  expect(asked, when).toEqual(new Set([addresses.router.ipv4]));
}

test(
  'dhclient renews its lease with the server itself, and its resolvers are there at the end',
  { timeout: waitLimit(120_000) },
  async () => {
    const { user, internet, directory, gateway } = net.lab;
    await using server = await startDhcpServer(internet, directory, [addresses.resolver.ipv4]);
    await using _ = await startDhcpClient(user, directory);
    const shown = () => readFile(user.resolvConf, 'utf8');
    await expect.poll(shown).toBe(`nameserver ${addresses.resolver.ipv4}\n`);
    await expectRenewal(server, 'without a tunnel');

    const client = await net.connect({ killSwitch: true });
    const isOurs = () => expect.poll(shown).toContain(`nameserver ${addresses.inside.ipv4}`);
    await expectRenewal(server, 'while connected');
    await isOurs();
    await server.restart(['203.0.113.53', '203.0.113.54']);
    await expectRenewal(server, 'with other resolvers');
    await isOurs();
    expect(client.states.at(-1)?.state).toBe('connected');
    expect(await user.probe.http4('tunnelled')).toMatchObject({ address: addresses.gateway.ipv4 });

    await gateway.stop();
    await client.until('connecting', { where: ({ attempt }) => attempt > 1 });
    await expectRenewal(server, 'while blocked');
    await client.call('disconnect', {});
    expect(await shown()).toBe('nameserver 203.0.113.53\nnameserver 203.0.113.54\n');
  },
);

// From a socket that is bound to the device.
if (isExhaustive)
  test(
    'systemd-networkd renews its lease with the server itself, connected and blocked',
    { timeout: waitLimit(120_000) },
    async () => {
      const { user, internet, directory, gateway } = net.lab;
      await using server = await startDhcpServer(internet, directory, [addresses.resolver.ipv4]);
      await using _ = await startNetworkd(user, directory, { isLeased: true });
      await expectRenewal(server, 'without a tunnel');

      const client = await net.connect({ killSwitch: true });
      await expectRenewal(server, 'while connected');
      await gateway.stop();
      await client.until('connecting', { where: ({ attempt }) => attempt > 1 });
      await expectRenewal(server, 'while blocked');
      await client.call('disconnect', {});
      await expectRenewal(server, 'after it');
    },
  );
