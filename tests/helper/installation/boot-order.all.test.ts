import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
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
import { forgetKernel, unit } from '../support/installed/installed-machine.ts';

/**
 * Boots beside a neighbour that needs the network early (cloud-init), with what leaves from the first packet on, and
 * shutdowns with what leaves until the last. The network comes up as it does on real machines, after
 * network-pre.target, and a program sends from that moment, and until the system ends whatever still runs.
 */

/** Lines: how often the program has sent, and how often when the helper had ended. */
const sent = '/var/lib/sent';
const sentBeforeEnd = '/var/lib/sent-before-end';

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
    `ExecStart=/bin/bash -c "while :; do echo marker > /dev/udp/${addresses.echo.ipv4}/9; echo >> ${sent}; sleep 0.01; done"`,
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
  await mkdir(path.join(folder, `${unit}.d`));
  const atEnd = `ExecStopPost=-+/bin/sh -c "wc -l < ${sent} > ${sentBeforeEnd}"`;
  await writeFile(path.join(folder, `${unit}.d/lab.conf`), `[Service]\n${atEnd}\n`);
});
afterAll(() => net?.[Symbol.asyncDispose]());

/** What a boot finds: nothing that is in memory only, and a link without addresses. */
async function forget(): Promise<void> {
  await forgetKernel(net.lab.user);
  await net.lab.user.exec(words('ip address flush dev uplink'));
}

/** Boots, and waits until the helper runs and the program has sent often; resolves with what left meanwhile. */
async function boot(disk?: string): Promise<{ machine: SystemdMachine; leaks: readonly { kind: string }[] }> {
  await forget();
  boots += 1;
  // Its last part is unique among all laboratories.
  const directory = path.join(net.lab.directory, `${path.basename(net.lab.directory)}-boot-${boots}`);
  await mkdir(directory);
  const capture = await net.lab.capture();
  const machine = await bootSystemd(net.lab.user, directory, tree, '/', disk);
  await machine.run(words(`systemctl is-active ${unit} cloud-init.service lab-network.service`));
  await eventually('it has sent often', async () => {
    const { stdout } = await machine.exec(words(`wc -l ${sent}`));
    return Number(stdout.split(' ')[0]) > 50 || undefined;
  });
  expect(await machine.run(words('journalctl --boot --output=cat'))).not.toMatch(/ordering cycle/i);
  return { machine, leaks: findLeaks(await capture.stop(), 'marker') };
}

/** Connects with the kill switch on. */
async function connect(machine: SystemdMachine): Promise<void> {
  using client = await attach(machine.file('/run/waymaker/helper.sock'));
  const session = await net.signIn();
  await client.call('connect', net.request({ session, killSwitch: true }));
  await client.until('connected');
}

/** Opens traffic, whatever an earlier boot has left. */
async function disconnect(machine: SystemdMachine): Promise<void> {
  using client = await attach(machine.file('/run/waymaker/helper.sock'));
  await client.call('disconnect', {});
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
      await connect(first.machine);
      await cp(first.machine.file('/var/lib/waymaker'), path.join(tree, 'var/lib/waymaker'), {
        recursive: true,
      });
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

/**
 * Boots, does this, and shuts down; resolves with what left meanwhile, and how often something was sent without a
 * helper.
 */
async function shutDown(
  name: string,
  before: (machine: SystemdMachine) => Promise<void>,
): Promise<{ leaks: string[]; sentWithoutHelper: number }> {
  const disk = path.join(net.lab.directory, name);
  const { machine } = await boot(disk);
  await before(machine);
  const capture = await net.lab.capture();
  await machine.powerOff();
  const leaks = findLeaks(await capture.stop(), 'marker').map(({ kind }) => kind);
  const written = (file: string) => readFile(path.join(disk, 'upper', file), 'utf8');
  const times = (await written(sent)).split('\n').length - 1;
  return { leaks, sentWithoutHelper: times - Number(await written(sentBeforeEnd)) };
}

test('at a shutdown with the kill switch on, nothing leaves outside the tunnel, not even after the helper has ended', async () => {
  const open = await shutDown('open', disconnect);
  expect(open.leaks, 'without the kill switch').toContain('cleartext');
  expect(open.sentWithoutHelper).toBeGreaterThan(0);
  const blocked = await shutDown('blocked', async (machine) => {
    // Signing in needs an open way.
    await disconnect(machine);
    await connect(machine);
  });
  expect(blocked.leaks).toEqual([]);
  expect(blocked.sentWithoutHelper).toBeGreaterThan(0);
});
