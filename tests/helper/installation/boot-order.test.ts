import { mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { words } from '../../lab/runs/process.ts';
import {
  createInstalledMachine,
  unit,
  type InstalledMachine,
} from '../support/installed/installed-machine.ts';

/**
 * A neighbour that needs the network early in the boot, as cloud-init does on servers (its cloud-init.service: after the
 * network, before sysinit.target, which units come after by default). Where units are ordered in a circle, systemd drops
 * one of them.
 */
const neighbour = [
  '[Unit]',
  'DefaultDependencies=no',
  'Wants=network-pre.target',
  'After=network-pre.target network.target',
  'Before=network-online.target sysinit.target',
  '[Service]',
  'Type=oneshot',
  'RemainAfterExit=yes',
  'ExecStart=/bin/true',
  '',
].join('\n');

let installed: InstalledMachine;

beforeAll(async () => {
  installed = await createInstalledMachine('resolved', async (tree) => {
    const wanted = path.join(tree, 'etc/systemd/system/sysinit.target.wants');
    await mkdir(wanted, { recursive: true });
    await writeFile(path.join(tree, 'etc/systemd/system/cloud-init.service'), neighbour);
    await symlink('/etc/systemd/system/cloud-init.service', path.join(wanted, 'cloud-init.service'));
  });
});
afterAll(() => installed?.[Symbol.asyncDispose]());

test('the helper is up before the network where something needs the network early, and nothing is dropped', async () => {
  const { machine } = installed;
  await installed.helper();
  const since = async (name: string) => {
    const shown = await machine.run(
      words(`systemctl show --property=ActiveEnterTimestampMonotonic --value ${name}`),
    );
    return Number(shown);
  };
  const [helper, network, other] = await Promise.all(
    [unit, 'network-pre.target', 'cloud-init.service'].map((name) => since(name)),
  );
  expect(helper).toBeGreaterThan(0);
  expect(network).toBeGreaterThan(helper!);
  expect(other).toBeGreaterThan(network!);
  expect(await machine.run(words('journalctl --boot --output=cat'))).not.toMatch(/ordering cycle/i);
});
