import { existsSync } from 'node:fs';
import { cp, mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import {
  installed,
  installedPackages,
  layCorePrograms,
  nativePackages,
} from '../../../../packaging/linux/core-tree.ts';
import type { Processor } from '../../../../packaging/runtime/processors.ts';
import { addresses } from '../../../lab/network/addresses.ts';
import { unpackedPackage } from '../../../lab/machine/unpacked-package.ts';
import { programFile } from '../../../lab/runs/programs.ts';

/** Units of systemd's own that would reach beyond the laboratory, or that nothing here needs. */
const masked = [
  'console-getty.service',
  'getty.target',
  'systemd-logind.service',
  'systemd-sysctl.service',
  'systemd-udevd.service',
  'timers.target',
];

/** Who manages name resolution on the machine; each asks the laboratory's public resolver. */
export type NameService = 'resolved' | 'resolvconf' | 'openresolv' | 'nobody';

/** Lays all programs into `tree` as the package installs them, and enables the helper. */
export async function installHelper(tree: string, names: NameService): Promise<void> {
  await installPrograms(tree);
  await enable(tree, installed.helperUnit);
  await layMachine(tree, names);
}

/** Lays what a machine of the laboratory needs to boot, and to look names up. */
export async function layMachine(tree: string, names: NameService): Promise<void> {
  const units = path.join(tree, 'etc/systemd/system');
  await mkdir(units, { recursive: true });
  for (const unit of masked) await symlink('/dev/null', path.join(units, unit));
  await installNameService[names](tree);
}

/** Lays all programs into `tree` as the package installs them: the bundles of this run, with its Node. */
export async function installPrograms(tree: string): Promise<void> {
  await layCorePrograms(tree, {
    node: process.execPath,
    helper: programFile('helper/index.ts'),
    proxy: programFile('helper/posix/start-proxy.ts'),
    engine: programFile('helper/posix/start-engine.ts'),
    commandLine: programFile('src/main/cli/index.ts'),
    scriptThread: programFile('src/main/way-out/script/script-thread.ts'),
    packages: nativePackages(process.arch as Processor, installedPackages),
  });
}

/** What `systemctl enable` makes of a unit that multi-user.target wants. */
async function enable(tree: string, unit: string): Promise<void> {
  const wanted = path.join(tree, 'etc/systemd/system/multi-user.target.wants');
  await mkdir(wanted, { recursive: true });
  await symlink(unit, path.join(wanted, path.basename(unit)));
}

async function installResolved(tree: string): Promise<void> {
  await layPackage(tree, 'systemd-resolved');
  const unit = '/lib/systemd/system/systemd-resolved.service';
  await enable(tree, unit);
  await symlink(unit, path.join(tree, 'etc/systemd/system/dbus-org.freedesktop.resolve1.service'));
  const settings = path.join(tree, 'etc/systemd/resolved.conf.d');
  await mkdir(settings, { recursive: true });
  const { ipv4, ipv6 } = addresses.resolver;
  await writeFile(path.join(settings, 'lab.conf'), `[Resolve]\nDNS=${ipv4} ${ipv6}\nFallbackDNS=\n`);
  await symlink('../run/systemd/resolve/stub-resolv.conf', path.join(tree, 'etc/resolv.conf'));
}

async function installResolvconf(tree: string): Promise<void> {
  await layPackage(tree, 'resolvconf');
  await enable(tree, '/lib/systemd/system/resolvconf.service');
  await symlink('/run/resolvconf', path.join(tree, 'etc/resolvconf/run'));
  await symlink('../run/resolvconf/resolv.conf', path.join(tree, 'etc/resolv.conf'));
  await recordUplink(tree, 'resolvconf.service network-pre.target');
}

/** It writes /etc/resolv.conf itself. */
async function installOpenresolv(tree: string): Promise<void> {
  await layPackage(tree, 'openresolv');
  await recordUplink(tree, 'network-pre.target');
}

/** A file that somebody has written by hand. */
async function installResolvConf(tree: string): Promise<void> {
  const { ipv4, ipv6 } = addresses.resolver;
  await writeFile(path.join(tree, 'etc/resolv.conf'), `nameserver ${ipv4}\nnameserver ${ipv6}\n`);
}

/** As the network's own client would, once it has an address. */
async function recordUplink(tree: string, after: string): Promise<void> {
  const record = `nameserver ${addresses.resolver.ipv4}\nnameserver ${addresses.resolver.ipv6}\n`;
  await writeFile(path.join(tree, 'etc/uplink-resolvers'), record);
  const network = '/etc/systemd/system/lab-network.service';
  await writeFile(
    path.join(tree, network),
    [
      '[Unit]',
      `After=${after}`,
      '[Service]',
      'Type=oneshot',
      'StandardInput=file:/etc/uplink-resolvers',
      'ExecStart=/sbin/resolvconf -a uplink.dhcp',
      '',
    ].join('\n'),
  );
  await enable(tree, network);
}

const installNameService = {
  resolved: installResolved,
  resolvconf: installResolvconf,
  openresolv: installOpenresolv,
  nobody: installResolvConf,
} as const satisfies Record<NameService, unknown>;

/** Lays the files of a Debian package into `tree`, where /lib and /sbin are links into /usr. */
async function layPackage(tree: string, name: string): Promise<void> {
  const files = unpackedPackage(name);
  for (const [from, to] of [
    ['etc', 'etc'],
    ['usr', 'usr'],
    ['lib', 'usr/lib'],
    ['sbin', 'usr/sbin'],
  ] as const) {
    if (!existsSync(path.join(files, from))) continue;
    await cp(path.join(files, from), path.join(tree, to), { recursive: true, verbatimSymlinks: true });
  }
}
