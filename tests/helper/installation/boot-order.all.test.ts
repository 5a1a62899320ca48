import { cp, mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bootSystemd, type SystemdMachine } from '../../lab/machine/systemd-machine.ts';
import { addresses } from '../../lab/network/addresses.ts';
import { findLeaks } from '../../lab/packets/leaks.ts';
import { eventually, words } from '../../lab/runs/process.ts';
import { waitLimit } from '../../lab/runs/wait-limit.ts';
import { attach } from '../support/callers/test-client.ts';
import { createHelperLab, type HelperLab } from '../support/helper-lab.ts';
import { installHelper } from '../support/installed/installed-helper.ts';
import { unit } from '../support/installed/installed-machine.ts';

/**
 * Boots beside a neighbour that needs the network early (cloud-init), with what leaves from the first packet on. The
 * network comes up as it does on real machines, after network-pre.target, and a program sends from that moment.
 */

const early = ['[Unit]', 'DefaultDependencies=no', 'Wants=network-pre.target', 'Before=sysinit.target'];
const units = {
  'lab-network.service': [
    ...early,
    'After=network-pre.target',
    'Before=network.target',
    '[Service]',
    'Type=oneshot',
    'RemainAfterExit=yes',
    `ExecStart=/sbin/ip address add ${addresses.user.ipv4}/24 dev uplink`,
    `ExecStart=/sbin/ip route add default via ${addresses.router.ipv4} dev uplink`,
  ],
  'cloud-init.service': [
    ...early,
    'After=network-pre.target network.target',
    'Before=network-online.target',
    '[Service]',
    'Type=oneshot',
    'RemainAfterExit=yes',
    'ExecStart=/bin/true',
  ],
  'sender.service': [
    ...early,
    'After=lab-network.service',
    '[Service]',
    `ExecStart=/bin/bash -c "while :; do echo marker > /dev/udp/${addresses.echo.ipv4}/9; echo >> /run/sent; sleep 0.01; done"`,
  ],
};

let net: HelperLab;
let tree: string;
let boots = 0;

beforeAll(async () => {
  net = await createHelperLab();
  tree = path.join(net.lab.directory, 'tree');
  await mkdir(tree);
  await installHelper(tree, 'resolved');
  const folder = path.join(tree, 'etc/systemd/system');
  const wanted = path.join(folder, 'sysinit.target.wants');
  await mkdir(wanted, { recursive: true });
  for (const [name, lines] of Object.entries(units)) {
    await writeFile(path.join(folder, name), `${lines.join('\n')}\n`);
    await symlink(`/etc/systemd/system/${name}`, path.join(wanted, name));
  }
});
afterAll(() => net?.[Symbol.asyncDispose]());

/** What a boot finds: nothing that is in memory only, and a link without addresses. */
async function forget(): Promise<void> {
  for (const command of [
    'nft flush ruleset',
    'ip -4 rule flush protocol 87',
    'ip -6 rule flush protocol 87',
    'ip link delete wm0',
    'ip address flush dev uplink',
  ])
    await net.lab.user.exec(words(command));
}

/** Boots, and waits until the helper runs and the program has sent often; resolves with what left meanwhile. */
async function boot(): Promise<{ machine: SystemdMachine; leaks: readonly { kind: string }[] }> {
  await forget();
  boots += 1;
  // Its last part is unique among all laboratories.
  const directory = path.join(net.lab.directory, `${path.basename(net.lab.directory)}-boot-${boots}`);
  await mkdir(directory);
  const capture = await net.lab.capture();
  const machine = await bootSystemd(net.lab.user, directory, tree);
  await machine.run(words(`systemctl is-active ${unit} cloud-init.service lab-network.service`));
  await eventually('it has sent often', async () => {
    const { stdout } = await machine.exec(words('wc -l /run/sent'));
    return Number(stdout.split(' ')[0]) > 50 || undefined;
  });
  expect(await machine.run(words('journalctl --boot --output=cat'))).not.toMatch(/ordering cycle/i);
  return { machine, leaks: findLeaks(await capture.stop(), 'marker') };
}

test(
  'in five boots with the kill switch on, nothing leaves from the first packet on',
  { timeout: waitLimit(300_000) },
  async () => {
    const first = await boot();
    try {
      expect(
        first.leaks.map(({ kind }) => kind),
        'without the kill switch',
      ).toContain('cleartext');
      const client = await attach(first.machine.file('/run/waymaker/helper.sock'));
      const session = await net.signIn();
      await client.call('connect', net.request({ session, killSwitch: true }));
      await client.until('connected');
      await cp(first.machine.file('/var/lib/waymaker'), path.join(tree, 'var/lib/waymaker'), {
        recursive: true,
      });
      client[Symbol.dispose]();
    } finally {
      // As a power cut does.
      await first.machine[Symbol.asyncDispose]();
    }
    for (let round = 1; round <= 5; round += 1) {
      const { machine, leaks } = await boot();
      await machine[Symbol.asyncDispose]();
      expect(leaks, `boot ${round}`).toEqual([]);
    }
  },
);
