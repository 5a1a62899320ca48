import { existsSync } from 'node:fs';
import { chmod, copyFile, cp, mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { buildHelper, copyNative, native } from '../../../../scripts/build-helper.ts';
import { bundleProgram } from '../../../../scripts/bundle-program.ts';
import { addresses } from '../../../lab/network/addresses.ts';
import { unpackedPackage } from '../../../lab/machine/unpacked-package.ts';
import { programFile } from '../../../lab/runs/programs.ts';

const resources = path.resolve(import.meta.dirname, '../../../../resources/linux');

/** Units of systemd's own that would reach beyond the laboratory, or that nothing here needs. */
const masked = [
  'console-getty.service',
  'getty.target',
  'systemd-logind.service',
  'systemd-sysctl.service',
  'systemd-udevd.service',
  'timers.target',
];

/** Where Node is on such a machine, in Electron's place. */
export const installedNode = '/opt/Waymaker/waymaker';

/** Who manages name resolution on the machine; each asks the laboratory's public resolver. */
export type NameService = 'resolved' | 'resolvconf' | 'openresolv';

/** Lays the helper into `tree` as a package installs it: the app with Node in Electron's place, the unit, the accounts. */
export async function installHelper(tree: string, names: NameService): Promise<void> {
  const units = path.join(tree, 'etc/systemd/system');
  const app = path.join(tree, 'opt/Waymaker');
  const accounts = path.join(tree, 'usr/lib/sysusers.d');
  for (const folder of [units, app, accounts]) await mkdir(folder, { recursive: true });
  await layHelper(path.join(app, 'resources/helper'));
  await copyFile(process.execPath, path.join(tree, installedNode));
  await copyFile(path.join(resources, 'waymaker.sysusers.conf'), path.join(accounts, 'waymaker.conf'));
  await copyFile(
    path.join(resources, 'waymaker-helper.service'),
    path.join(units, 'waymaker-helper.service'),
  );
  await enable(tree, '/etc/systemd/system/waymaker-helper.service');
  for (const unit of masked) await symlink('/dev/null', path.join(units, unit));
  await installNameService[names](tree);
}

/** As `buildHelper` builds it, of the bundles that the run has made already. */
async function layHelper(folder: string): Promise<void> {
  const [helper, proxy] = ['helper/index.ts', 'helper/posix/start-proxy.ts'].map(programFile);
  if (!helper?.endsWith('.mjs') || !proxy?.endsWith('.mjs')) {
    await buildHelper(folder);
    return;
  }
  await mkdir(folder, { recursive: true });
  await copyFile(helper, path.join(folder, 'helper.mjs'));
  await copyFile(proxy, path.join(folder, 'proxy.mjs'));
  await copyNative(folder);
}

/** Lays the command line beside it, as a package does; run as `waymaker`. */
export async function installCommandLine(tree: string): Promise<void> {
  const app = path.join(tree, 'opt/Waymaker/resources/app.asar');
  const programs = path.join(tree, 'usr/bin');
  for (const folder of [app, programs]) await mkdir(folder, { recursive: true });
  const version = {
    name: 'version',
    config: () => ({ define: { 'import.meta.env.VITE_APP_VERSION': '"0"' } }),
  };
  await bundleProgram({
    entry: 'src/main/cli/index.ts',
    file: path.join(app, 'out/main/cli.js'),
    // The daemon's, which is not run here, too.
    external: [...native, 'keytar', 'dbus-native'],
    plugins: [version],
  });
  await symlink('../helper/node_modules', path.join(app, 'node_modules'));
  await writeFile(path.join(app, 'package.json'), '{ "type": "module" }');
  await copyFile(path.join(resources, 'waymaker'), path.join(programs, 'waymaker'));
  await chmod(path.join(programs, 'waymaker'), 0o755);
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
