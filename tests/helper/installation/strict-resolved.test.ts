import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addresses, names } from '../../lab/network/addresses.ts';
import { eventually, words } from '../../lab/runs/process.ts';
import { createInstalledMachine, type InstalledMachine } from '../support/installed/installed-machine.ts';

/**
 * The tunnel's device inherits what a machine's owner has set for all devices (resolved.conf(5)), which few VPNs' resolvers
 * can do.
 */
let installed: InstalledMachine;

beforeAll(async () => {
  installed = await createInstalledMachine('resolved', async (tree) => {
    const folder = path.join(tree, 'etc/systemd/resolved.conf.d');
    await mkdir(folder, { recursive: true });
    await writeFile(path.join(folder, 'strict.conf'), '[Resolve]\nDNSOverTLS=yes\nDNSSEC=yes\n');
    await layNetworkd(tree);
  });
});
afterAll(() => installed?.[Symbol.asyncDispose]());

/** systemd-networkd with settings for every device, as on images for any cloud; started by the test that wants it. */
async function layNetworkd(tree: string): Promise<void> {
  const networks = path.join(tree, 'etc/systemd/network');
  const dropIns = path.join(tree, 'etc/systemd/system/systemd-networkd.service.d');
  for (const folder of [networks, dropIns]) await mkdir(folder, { recursive: true });
  await writeFile(path.join(networks, '10-uplink.network'), '[Match]\nName=uplink\n[Link]\nUnmanaged=yes\n');
  await writeFile(
    path.join(networks, '20-all.network'),
    `[Match]\nName=*\n[Network]\nDHCP=yes\nDNS=${addresses.neighbour.ipv4}\nDomains=~.\n`,
  );
  // Without udev, it goes on only where it could not change devices (sd-device, udev_available).
  await writeFile(path.join(dropIns, 'lab.conf'), '[Service]\nReadOnlyPaths=/sys\n');
}

test('names are found in the tunnel where the machine wants TLS and signatures of its own resolvers', async () => {
  const isFound = async () => (await installed.resolve(names.inside)).includes(addresses.inside.ipv4);
  expect(await installed.resolve(names.where), 'the resolver outside has no TLS').toEqual([]);
  const client = await installed.connect();
  await eventually('names are found', async () => (await isFound()) || undefined);
  await client.call('disconnect', {});
  expect(await installed.resolve(names.where)).toEqual([]);
});

test('systemd-networkd leaves the tunnel’s device alone, also with settings for every device', async () => {
  const { machine } = installed;
  const stateOf = async (device: string) =>
    /State: \S+ \((\w+)\)/.exec(await machine.run(words(`networkctl status --no-pager ${device}`)))?.[1];
  await machine.run(words('ip link add other0 type veth peer name other1'));
  await machine.run(words('systemctl start systemd-networkd.service'));
  try {
    await eventually('it has taken another one', async () =>
      (await stateOf('other0')) === 'unmanaged' ? undefined : true,
    );
    const client = await installed.connect();
    expect(await stateOf('wm0')).toBe('unmanaged');
    await eventually(
      'names are found',
      async () => (await installed.resolve(names.inside)).includes(addresses.inside.ipv4) || undefined,
    );
    expect(await machine.run(words('ip -6 -o address show dev wm0 scope link'))).toBe('');
    await client.call('disconnect', {});
  } finally {
    await machine.run(words('ip link delete other0'));
    await machine.run(words('systemctl stop systemd-networkd.socket systemd-networkd.service'));
  }
});

/** No program gets an answer of the machine's own resolver, whatever that knows. */
const silentStub = `table inet stub {
  chain output { type filter hook output priority filter; ip daddr 127.0.0.53 drop; }
}`;

test('the state says so where the tunnel’s resolvers answer, but no program of the machine is told', async () => {
  const { machine, net } = installed;
  const client = await installed.connect();
  const until = (problems: readonly string[], seen: number) =>
    client.until('connected', {
      seen,
      where: (state) => (state.problems ?? []).join() === problems.join(),
      limitMs: 60_000,
    });
  await until([], 0);
  await net.lab.user.run(words('nft -f -'), { input: silentStub });
  // What is used is probed.
  await machine.exec(words(`ping -c 1 -W 1 ${addresses.inside.ipv4}`));
  await until(['names-fail'], client.states.length);
  await net.lab.user.run(words('nft delete table inet stub'));
  await until([], client.states.length);
  await client.call('disconnect', {});
});
