import { cp, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { coreFacts } from '../../../packaging/linux/core-facts.ts';
import { publishRepositories } from '../../../packaging/repository/publish-repositories.ts';
import { addresses } from '../../lab/network/addresses.ts';
import { findLeaks } from '../../lab/packets/leaks.ts';
import { eventually, run, words } from '../../lab/runs/process.ts';
import { waitLimit } from '../../lab/runs/wait-limit.ts';
import { makeCoreRpm, versions } from '../support/installed/core-packages.ts';
import { layMachine } from '../support/installed/installed-helper.ts';
import {
  createInstalledMachine,
  unit,
  type InstalledMachine,
} from '../support/installed/installed-machine.ts';

// Systems are made, booted and installed on: minutes on a slow machine.
vi.setConfig({ testTimeout: waitLimit(600_000), hookTimeout: waitLimit(600_000) });

/**
 * The rpm package by real dnf from the signed repository, with its own scripts. Its dependencies are Debian's here,
 * which rpm does not know: a package that is called like all of them stands in for them. The tests follow each other.
 */

let installed: InstalledMachine;

beforeAll(async () => {
  const making = (async () => [await makeCoreRpm(versions.current), await makeCoreRpm(versions.next)])();
  making.catch(() => undefined);
  installed = await createInstalledMachine('resolved', undefined, layMachine);
  // In containers it often forbids what packages start.
  await installed.machine.run(words('rm -f /usr/sbin/policy-rc.d'));
  const { directory } = installed.net.lab;
  const packages = path.join(directory, 'rpms');
  await mkdir(packages);
  for (const file of await making) await cp(file, path.join(packages, path.basename(file)));
  const published = path.join(directory, 'published');
  const given = { packages, folder: published, url: 'file:///srv/waymaker', keyFile: undefined };
  await publishRepositories({ ...given, now: new Date(), say: () => undefined });
  await standIn(directory, path.join(published, 'distribution'));
  await cp(published, installed.machine.file('/srv/waymaker'), { recursive: true });
  const sources = installed.machine.file('/etc/yum.repos.d');
  await mkdir(sources, { recursive: true });
  await cp(path.join(published, 'rpm/waymaker.repo'), path.join(sources, 'waymaker.repo'));
  const lines = ['name=Distribution', 'baseurl=file:///srv/waymaker/distribution', 'gpgcheck=0', ''];
  await writeFile(path.join(sources, 'distribution.repo'), ['[distribution]', ...lines].join('\n'));
});
afterAll(() => installed?.[Symbol.asyncDispose]());

/** A repository with one package, which provides what ours depends on and recommends. */
async function standIn(scratch: string, folder: string): Promise<void> {
  // The shell is what rpm asks for itself, for scripts.
  const wanted = [...coreFacts.depends.rpm, ...(coreFacts.recommends?.rpm ?? []), '/bin/sh'];
  const spec = path.join(scratch, 'distribution.spec');
  const lines = [
    'Name: distribution',
    'Version: 1',
    'Release: 1',
    'Summary: What a distribution has',
    'License: MIT',
    'BuildArch: noarch',
    ...wanted.map((one) => `Provides: ${one.replace('>=', '=')}`),
    '%description',
    'Stands in for the packages of a distribution.',
    '%files',
    '',
  ];
  await writeFile(spec, lines.join('\n'));
  const defined = ['--define', `_rpmdir ${folder}`, '--define', `_topdir ${scratch}/rpmbuild`];
  await run(['rpmbuild', '-bb', ...defined, spec]);
  await run(['createrepo_c', '--quiet', folder]);
}

async function dnf(argv: string): Promise<string> {
  const all = words(`dnf --assumeyes --releasever=41 ${argv}`);
  const { code, stdout, stderr } = await installed.machine.exec(all, { timeout: 120_000 });
  expect(code, `${stderr}\n${stdout}`).toBe(0);
  return stdout;
}

const files = () =>
  installed.machine.run([
    'sh',
    '-c',
    // Other laboratories on the same machine come and go in /etc/netns; dnf keeps what it has read and done.
    'find /etc /usr /opt /var/lib /sys/fs/cgroup -xdev ! -path "/etc/netns*" ! -path "/var/lib/rpm*" ! -path "/var/lib/dnf*" ! -path "/var/lib/systemd/*" ! -path "/usr/lib/sysimage/*" | sort; getent passwd; getent group',
  ]);

let found: string;
let initialSnapshot: string;

test('dnf installs the signed package with its dependencies, the helper runs, and the tunnel comes up', async () => {
  found = await files();
  const said = await dnf(`install waymaker-core-${versions.current}`);
  expect(said).toContain('distribution');
  await installed.helper();
  initialSnapshot = await installed.snapshot();
  expect(await installed.machine.run(words('rpm --verify waymaker-core'))).toBe('');
  const signature = words('rpm --query --queryformat %{RSAHEADER:pgpsig} waymaker-core');
  expect(await installed.machine.run(signature)).toMatch(/RSA\/SHA512/);
  const client = await installed.connect({ killSwitch: true });
  expect(await installed.net.lab.user.seenFrom()).toBe(addresses.gateway.ipv4);
  client[Symbol.dispose]();
});

test('an upgrade while connected replaces the helper and lets nothing out', async () => {
  const { lab } = installed.net;
  const before = await installed.helper();
  const capture = await lab.capture();
  const stream = await lab.user.probe.stream('upgrade');
  await dnf('upgrade waymaker-core');
  expect(await installed.helper()).not.toBe(before);
  expect(await installed.machine.run(words('waymaker --version'))).toContain(versions.next);
  expect(await installed.net.lab.user.seenFrom()).toBeUndefined();
  await stream[Symbol.asyncDispose]();
  expect(findLeaks(await capture.stop(), 'upgrade')).toEqual([]);
});

test('an older version says why it does not run, traffic stays blocked, and installing the newer one repairs it', async () => {
  await dnf('downgrade waymaker-core');
  const log = words(`journalctl --no-pager --output=cat --lines=8 --unit=${unit}`);
  await eventually('it has said why', async () => {
    const said = await installed.machine.run(log);
    return said.includes(`version ${versions.current} is older than ${versions.next}`) || undefined;
  });
  expect(await installed.net.lab.user.seenFrom()).toBeUndefined();
  await dnf('upgrade waymaker-core');
  await installed.helper();
  expect(await installed.net.lab.user.seenFrom()).toBeUndefined();
});

test('removing the package while traffic is blocked unblocks it, and leaves nothing behind', async () => {
  const control = await installed.net.lab.capture();
  await dnf('remove waymaker-core');
  expect(await installed.snapshot()).toBe(initialSnapshot);
  expect(await installed.net.lab.user.seenFrom('removed')).toBe(addresses.user.ipv4);
  expect(findLeaks(await control.stop(), 'removed'), 'positive control').not.toEqual([]);
  await dnf('remove distribution');
  expect(await files()).toBe(found);
});
