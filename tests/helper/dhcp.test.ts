import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { addresses } from '../lab/addresses.ts';
import { startDhcpClient, startDhcpServer } from '../lab/dhcp.ts';
import { eventually } from '../lab/process.ts';
import { waitLimit } from '../lab/wait-limit.ts';
import { helperLabForEach } from './support/lab-for-each.ts';

/** Beside Debian's DHCP client with its own script and configuration, whose lease is renewed every few seconds. */

const net = helperLabForEach();

test(
  'a lease is renewed with the server itself, connected and blocked, and its resolvers are there at the end',
  { timeout: waitLimit(120_000) },
  async () => {
    const { user, internet, directory, gateway } = net.lab;
    await using server = await startDhcpServer(internet, directory, [addresses.resolver.ipv4]);
    await using dhcp = await startDhcpClient(user, directory);
    const shown = () => readFile(user.resolvConf, 'utf8');
    await expect.poll(shown).toBe(`nameserver ${addresses.resolver.ipv4}\n`);

    /** The client falls back to broadcasts if the server itself does not answer. */
    async function expectRenewal(when: string): Promise<void> {
      const [leases, asked] = [server.leases(), dhcp.asked().length];
      await eventually(`it is renewed ${when}`, () => server.leases() > leases || undefined);
      expect(new Set(dhcp.asked().slice(asked))).toEqual(new Set([addresses.router.ipv4]));
    }
    await expectRenewal('without a tunnel');

    const client = await net.connect({ killSwitch: true });
    const isOurs = () => expect.poll(shown).toContain(`nameserver ${addresses.inside.ipv4}`);
    await expectRenewal('while connected');
    await isOurs();
    await server.restart(['203.0.113.53', '203.0.113.54']);
    await expectRenewal('with other resolvers');
    await isOurs();
    expect(client.states.at(-1)?.state).toBe('connected');
    expect(await user.probe.http4('tunnelled')).toMatchObject({ address: addresses.gateway.ipv4 });

    await gateway.stop();
    await client.until('connecting', { where: ({ attempt }) => attempt > 1 });
    await expectRenewal('while blocked');
    await client.call('disconnect', {});
    expect(await shown()).toBe('nameserver 203.0.113.53\nnameserver 203.0.113.54\n');
  },
);
