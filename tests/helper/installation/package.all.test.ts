import { copyFile, readFile } from 'node:fs/promises';
import { Spec, Validation } from '@cyclonedx/cyclonedx-library';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { makeCore } from '../../../packaging/linux/core-package.ts';
import { checkNames } from '../../../src/main/self-test/check-names.ts';
import { installed as places } from '../../../packaging/linux/core-tree.ts';
import { addresses } from '../../lab/network/addresses.ts';
import { words } from '../../lab/runs/process.ts';
import { waitLimit } from '../../lab/runs/wait-limit.ts';
import { layMachine } from '../support/installed/installed-helper.ts';
import { checksOf } from '../support/self-test/self-test-run.ts';
import {
  createInstalledMachine,
  unit,
  type InstalledMachine,
} from '../support/installed/installed-machine.ts';
import { packagesFolder } from '../support/installed/core-packages.ts';
import { packageOptions } from '../support/installed/package-options.ts';

// Systems are made, booted and installed on: minutes on a slow machine.
vi.setConfig({ testTimeout: waitLimit(600_000), hookTimeout: waitLimit(600_000) });

/** The packages themselves, by dpkg and by rpm, on a machine under systemd. */

let installed: InstalledMachine;
let file: string;
let bill: string;

beforeAll(async () => {
  const making = makeCore({
    ...(await packageOptions()),
    formats: ['deb', 'rpm'],
    folder: await packagesFolder('core'),
  });
  installed = await createInstalledMachine('resolved', undefined, layMachine);
  const [made = '', materials = '', madeRpm = ''] = await making;
  bill = await readFile(materials, 'utf8');
  // In containers it often forbids what packages start.
  await installed.machine.run(words('rm -f /usr/sbin/policy-rc.d'));
  file = '/run/waymaker-core.deb';
  await copyFile(made, installed.machine.file(file));
  await copyFile(madeRpm, installed.machine.file('/run/waymaker-core.rpm'));
});
afterAll(() => installed?.[Symbol.asyncDispose]());

/** Every file outside of what the package manager and the system's log keep for themselves. */
const files = () =>
  installed.machine.run([
    'sh',
    '-c',
    // Other laboratories on the same machine come and go in /etc/netns.
    'find /etc /usr /opt /var/lib /sys/fs/cgroup -xdev ! -path "/etc/netns*" ! -path "/var/lib/dpkg/*" ! -path "/var/lib/rpm*" ! -path "/var/lib/systemd/*" | sort; getent passwd; getent group',
  ]);

test('the package is installed, runs, opens traffic when it is removed, and leaves nothing when it is purged', async () => {
  const { machine } = installed;
  const before = await files();
  await machine.run(['dpkg', '--install', file]);
  await installed.helper();
  const initialSnapshot = await installed.snapshot();
  expect(await machine.run(words('waymaker --version'))).toMatch(/^\d+\.\d+\.\d+$/m);
  const completed = '. /usr/share/bash-completion/completions/waymaker && complete -p waymaker';
  expect(await machine.run(['bash', '-c', completed])).toMatch(/ waymaker$/m);
  expect(await machine.run(words('man --where waymaker'))).toMatch(/waymaker\.1/);
  expect(await machine.run(words('dpkg --verify waymaker-core'))).toBe('');

  const tested = await machine.exec(words('waymaker self-test --json'), { timeout: 150_000 });
  const checks = checksOf(tested.stdout);
  expect(
    checks.filter(({ outcome }) => outcome !== 'passed'),
    tested.stderr,
  ).toEqual([]);
  expect(new Set(checks.map(({ name }) => name))).toEqual(new Set(checkNames));
  expect(tested.code).toBe(0);
  expect(await installed.snapshot()).toBe(initialSnapshot);

  const client = await installed.connect({ killSwitch: true });
  expect(await installed.net.lab.user.seenFrom()).toBe(addresses.gateway.ipv4);
  client[Symbol.dispose]();
  await machine.run(words(`systemctl kill --signal=KILL ${unit}`));
  const upgrade = await machine.exec(['dpkg', '--install', file]);
  expect(upgrade).toMatchObject({ code: 0 });
  await installed.helper();
  expect(await installed.net.lab.user.seenFrom()).toBeUndefined();

  await machine.run(words('dpkg --remove waymaker-core'));
  expect(await installed.snapshot()).toBe(initialSnapshot);
  expect(await installed.net.lab.user.seenFrom()).toBe(addresses.user.ipv4);
  await machine.run(words('dpkg --purge waymaker-core'));
  expect(await files()).toBe(before);
  expect(await readFile(machine.file('/etc/group'), 'utf8')).not.toContain('waymaker');
  expect((await machine.exec(['test', '-e', places.folder])).code).toBe(1);
});

/** Its own dependencies are Debian's here, which rpm does not know. */
test('the rpm package does the same by its own scripts, and keeps nothing', async () => {
  const { machine } = installed;
  const before = await files();
  await machine.run(words('rpm --install --nodeps /run/waymaker-core.rpm'));
  await installed.helper();
  const initialSnapshot = await installed.snapshot();
  expect(await machine.run(words('rpm --verify --nodeps waymaker-core'))).toBe('');
  const client = await installed.connect({ killSwitch: true });
  expect(await installed.net.lab.user.seenFrom()).toBe(addresses.gateway.ipv4);
  client[Symbol.dispose]();
  const first = await installed.helper();
  await machine.run(words('rpm --upgrade --replacepkgs --nodeps /run/waymaker-core.rpm'));
  expect(await installed.helper()).not.toBe(first);
  expect(await installed.net.lab.user.seenFrom()).toBeUndefined();
  await machine.run(words('rpm --erase waymaker-core'));
  expect(await installed.snapshot()).toBe(initialSnapshot);
  expect(await installed.net.lab.user.seenFrom()).toBe(addresses.user.ipv4);
  expect(await files()).toBe(before);
});

test('the package’s bill of materials is valid, and names what it is made of, with hashes', async () => {
  const validator = new Validation.JsonStrictValidator(Spec.Version.v1dot6);
  expect(await validator.validate(bill)).toBeNull();
  expect(await validator.validate(bill.replace('"components"', '"parts"'))).not.toBeNull();
  const { components } = z
    .object({ components: z.array(z.object({ purl: z.string(), hashes: z.array(z.unknown()).length(1) })) })
    .parse(JSON.parse(bill));
  // The runtime, a native module, and one in a bundle.
  for (const name of [`node-linux-${process.arch}`, 'koffi', 'commander'])
    expect(components.map(({ purl }) => purl)).toContainEqual(
      expect.stringMatching(new RegExp(`^pkg:npm/${name}@\\d`)),
    );
});
