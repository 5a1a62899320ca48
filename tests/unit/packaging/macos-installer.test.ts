import { execFile } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { macosPlatform } from '../../../helper/macos/macos-platform.ts';
import { parseOptions } from '../../../helper/options.ts';
import { installerConfiguration } from '../../../packaging/desktop/installer-configuration.ts';
import { helperAddresses } from '../../../src/node/os/helper-address.ts';
import { helperService } from '../../../src/main/tunnel/macos/launchd-approval.ts';
import {
  createVolume,
  createVolumeWithAccounts,
  installer,
  resources,
  type Volume,
} from './support/macos-volume.ts';
import { readPropertyList } from './support/property-list.ts';

const label = 'example.waymaker.helper';
const installed = '/Library/Application Support/Waymaker/core';

const configuration = installerConfiguration({
  platform: 'darwin',
  app: '/app',
  electron: { folder: '/electron', version: '1.2.3' },
  folder: '/made',
});

const daemon = readPropertyList(readFileSync(path.join(installer, `${label}.plist`), 'utf8')) as {
  ProgramArguments: string[];
  Umask: number;
  ExitTimeOut: number;
};

test('launchd’s property list names the helper as the app knows it, and the app as its owner', () => {
  expect(daemon).toMatchObject({
    Label: label,
    AssociatedBundleIdentifiers: [configuration.appId],
    RunAtLoad: true,
    KeepAlive: { SuccessfulExit: false },
  });
  expect(helperService).toBe(`system/${label}`);
  // Users have to get through the folder of the socket, which the helper makes with this mode.
  expect(0o755 & ~daemon.Umask).toBe(0o755);
});

test('the helper understands the command line that launchd starts it by', () => {
  const [node, , program, ...words] = daemon.ProgramArguments;
  expect([node, program]).toEqual([`${installed}/node`, `${installed}/helper/helper.mjs`]);
  expect(parseOptions(words, macosPlatform.options)).toMatchObject({
    socket: helperAddresses.darwin,
    stateDirectory: macosPlatform.options.usual.stateDirectory,
    engine: 'own',
    ofSystem: macosPlatform.options.further.defaults,
  });
  expect(() => parseOptions([...words, '--not-an-option', 'x'], macosPlatform.options)).toThrow();
});

test('the package runs the script, and goes to no other place than the script takes the helper from', () => {
  expect(configuration.pkg).toEqual({
    scripts: installer,
    allowAnywhere: false,
    allowCurrentUserHome: false,
    isRelocatable: false,
    // An app whose files are exchanged while it runs ends at the next one that it opens (Squirrel.Mac 124).
    mustClose: [configuration.appId],
  });
  expect(statSync(path.join(installer, 'postinstall')).mode & 0o111).toBe(0o111);
});

test('installing makes the accounts, puts the helper where only root writes, and starts it', async () => {
  const mac = createVolume();
  // As on a Mac where others have taken numbers, as a user or as a group.
  mac.record('/Users/_other', { UniqueID: '499' });
  mac.record('/Groups/other', { PrimaryGroupID: '498' });
  await mac.install();
  expect(mac.read('/Groups/waymaker/PrimaryGroupID')).toBe('497');
  const numbers = ['_waymaker-engine', '_waymaker-proxy'].flatMap((name) => {
    expect(mac.read(`/Users/${name}/UserShell`)).toBe('/usr/bin/false');
    expect(mac.read(`/Users/${name}/PrimaryGroupID`)).toBe(mac.read(`/Groups/${name}/PrimaryGroupID`));
    return [mac.read(`/Users/${name}/UniqueID`), mac.read(`/Groups/${name}/PrimaryGroupID`)];
  });
  expect(new Set(numbers)).toEqual(new Set(['493', '494', '495', '496']));
  const node = path.join(mac.volume, installed, 'node');
  expect(statSync(node).mode & 0o777).toBe(0o755);
  const propertyList = path.join(mac.volume, 'Library/LaunchDaemons', `${label}.plist`);
  expect(readFileSync(propertyList)).toEqual(readFileSync(path.join(installer, `${label}.plist`)));
  expect(statSync(propertyList).mode & 0o777).toBe(0o644);
  expect(statSync(path.join(mac.volume, 'var/log/waymaker-helper.log')).mode & 0o777).toBe(0o600);
  expect(mac.commands()).toEqual([
    'dseditgroup -o edit -a someone -t user waymaker',
    `launchctl bootout system/${label}`,
    `launchctl print system/${label}`,
    `launchctl bootstrap system ${propertyList}`,
  ]);
});

test('from a clone, the accounts are made alone, and those that are there stay', async () => {
  const mac = createVolume();
  await mac.makeAccounts();
  const number = mac.read('/Users/_waymaker-engine/UniqueID');
  expect(Number(number)).toBeGreaterThan(0);
  expect(mac.read('/Groups/waymaker/PrimaryGroupID')).toBeDefined();
  expect(mac.commands()).toEqual([]);
  await mac.makeAccounts();
  expect(mac.read('/Users/_waymaker-engine/UniqueID')).toBe(number);
});

test('new shells find the command, which is in a folder that only root writes', async () => {
  const mac = await createVolumeWithAccounts();
  await mac.install();
  const [folder = '', ...others] = readFileSync(path.join(mac.volume, 'etc/paths.d/waymaker'), 'utf8')
    .trimEnd()
    .split('\n');
  expect(others).toEqual([]);
  const command = path.join(mac.volume, folder, 'waymaker');
  expect(statSync(path.dirname(command)).mode & 0o777).toBe(0o755);
  const { stdout } = await promisify(execFile)('waymaker', ['connect', 'a b'], {
    env: { PATH: `${path.dirname(command)}:${process.env['PATH']}` },
  });
  const [program, ...words] = stdout.trimEnd().split('\n');
  expect(path.resolve(program ?? '')).toBe(path.join(mac.volume, installed, 'app/cli.js'));
  expect(words).toEqual(['connect', 'a b']);
});

test('the command is found by links to it, too, wherever they are', async () => {
  const mac = await createVolumeWithAccounts();
  await mac.install();
  const command = path.join(mac.volume, 'Library/Application Support/Waymaker/bin/waymaker');
  const links = path.join(mac.volume, 'usr/local/bin');
  mkdirSync(path.join(links, 'more'), { recursive: true });
  symlinkSync(command, path.join(links, 'waymaker'));
  symlinkSync('../waymaker', path.join(links, 'more/vpn'));
  for (const link of ['waymaker', 'more/vpn']) {
    const { stdout } = await promisify(execFile)(path.join(links, link), ['status']);
    const [program, ...words] = stdout.trimEnd().split('\n');
    expect(path.resolve(program ?? '')).toBe(path.join(mac.volume, installed, 'app/cli.js'));
    expect(words).toEqual(['status']);
  }
});

test('an upgrade keeps the accounts, and leaves nothing of the version before', async () => {
  const mac = createVolume();
  await mac.install();
  const before = mac.read('/Users/_waymaker-engine/UniqueID');
  writeFileSync(path.join(mac.volume, installed, 'of-before'), '');
  writeFileSync(path.join(mac.core, 'node'), 'newer runtime');
  await mac.install();
  expect(mac.read('/Users/_waymaker-engine/UniqueID')).toBe(before);
  expect(readFileSync(path.join(mac.volume, installed, 'node'), 'utf8')).toBe('newer runtime');
  expect(existsSync(path.join(mac.volume, installed, 'of-before'))).toBe(false);
  expect(existsSync(path.join(mac.volume, `${installed}.old`))).toBe(false);
});

test('an installation that was interrupted is completed by the next one', async () => {
  const mac = createVolume();
  await expect(mac.install({ interruptedAt: 'UniqueID' })).rejects.toThrow();
  expect(mac.read('/Users/_waymaker-engine/UniqueID')).toBeUndefined();
  const group = mac.read('/Groups/_waymaker-engine/PrimaryGroupID');
  // In the middle of a copy, too.
  cpSync(mac.core, path.join(mac.volume, `${installed}.new/half`), { recursive: true });
  await mac.install();
  expect(mac.read('/Users/_waymaker-engine/PrimaryGroupID')).toBe(group);
  expect(mac.read('/Users/_waymaker-engine/UniqueID')).toBeDefined();
  expect(existsSync(path.join(mac.volume, installed, 'half'))).toBe(false);
});

test('a helper that launchd has not yet unloaded is started by another try', async () => {
  const mac = await createVolumeWithAccounts();
  const { stderr } = await mac.install({ refusals: 2 });
  expect(mac.commands().filter((line) => line.startsWith('launchctl bootstrap'))).toHaveLength(3);
  expect(stderr).not.toContain('macOS has not started the helper');
});

test('a helper that takes as long to end as launchd lets it is waited for (snx-rs 241, codex-remote-feishu 916)', async () => {
  const mac = await createVolumeWithAccounts();
  const { stderr } = await mac.install({ endsAfter: daemon.ExitTimeOut + 5 });
  expect(stderr).not.toContain('macOS has not started the helper');
  expect(mac.commands().at(-1)).toMatch(/^launchctl bootstrap system /);
});

test('a helper that macOS does not start does not fail the installation, which says where to allow it', async () => {
  const mac = await createVolumeWithAccounts();
  const { stderr } = await mac.install({ refusals: 99 });
  expect(stderr).toContain('allow Waymaker in System Settings, General, Login Items & Extensions');
  expect(mac.commands().filter((line) => line.startsWith('launchctl bootstrap'))).toHaveLength(10);
});

test.each(['root', 'loginwindow', '_mbsetupuser', ''])(
  'nobody joins the group while %j is logged in at the screen',
  async (console) => {
    const mac = await createVolumeWithAccounts();
    await mac.install({ console });
    expect(mac.commands().some((line) => line.startsWith('dseditgroup'))).toBe(false);
  },
);

test('a package without a helper is not installed, and changes nothing', async () => {
  const mac = createVolume({ hasHelper: false });
  await expect(mac.install()).rejects.toThrow('this package has no helper');
  expect(mac.commands()).toEqual([]);
  expect(mac.read('/Groups/waymaker/PrimaryGroupID')).toBeUndefined();
});

/** The helper's runtime on a volume where Waymaker is installed: a program that only undoes, or fails to. */
async function installedWith(mac: Volume, status: number): Promise<void> {
  const lines = `#!/bin/sh\necho "node $*" >> "$COMMANDS"\necho 'still blocked' >&2\nexit ${status}\n`;
  writeFileSync(path.join(mac.core, 'node'), lines);
  await mac.install();
}

const leftOf = (mac: Volume) =>
  [
    'Applications/Waymaker.app',
    'Library/Application Support/Waymaker',
    `Library/LaunchDaemons/${label}.plist`,
    'var/log/waymaker-helper.log',
    'var/log/waymaker-helper.log.1',
    'etc/paths.d/waymaker',
  ].filter((file) => existsSync(path.join(mac.volume, file)));

test('removing ends the helper, opens traffic by its own program, and leaves nothing', async () => {
  const mac = await createVolumeWithAccounts();
  await installedWith(mac, 0);
  // Its earlier part, which a helper has made.
  writeFileSync(path.join(mac.volume, 'var/log/waymaker-helper.log.1'), '');
  expect(leftOf(mac)).toHaveLength(6);
  await mac.uninstall({ refusals: 2 });
  expect(leftOf(mac)).toEqual([]);
  for (const name of ['/Users/_waymaker-engine', '/Users/_waymaker-proxy', '/Groups/waymaker'])
    expect(mac.read(`${name}/RealName`)).toBeUndefined();
  const commands = mac.commands().filter((line) => !line.startsWith('sleep'));
  expect(commands.shift()).toMatch(/^node .*\/helper\/helper\.mjs --disconnect$/);
  // While launchd still has it, nothing is undone.
  expect(commands.slice(0, 4)).toEqual([
    `launchctl bootout system/${label}`,
    ...Array.from({ length: 3 }, () => `launchctl print system/${label}`),
  ]);
  expect(commands[4]).toMatch(/^node .*\/helper\/helper\.mjs --restore$/);
});

test('a helper that takes as long to end as launchd lets it is waited for before anything is undone', async () => {
  const mac = createVolume();
  await installedWith(mac, 0);
  await mac.uninstall({ endsAfter: daemon.ExitTimeOut + 5 });
  expect(leftOf(mac)).toEqual([]);
});

test('removing ends everybody’s windows and background processes, and nothing else', async () => {
  const mac = createVolume();
  await installedWith(mac, 0);
  await mac.uninstall();
  const patterns = mac.commands().flatMap((line) => /^pkill -f (.*)$/.exec(line)?.[1] ?? []);
  const isEnded = (commandLine: string) => patterns.some((one) => new RegExp(one).test(commandLine));
  const own = `${mac.volume}/Library/Application Support/Waymaker`;
  const app = `${mac.volume}/Applications/Waymaker.app/Contents`;
  expect(
    [
      `${app}/MacOS/Waymaker`,
      `${app}/MacOS/Waymaker --hidden`,
      // As its command starts it.
      `${own}/bin/../core/node ${own}/bin/../core/app/cli.js daemon`,
      `${own}/core/node ${own}/core/app/cli.js daemon`,
      `${own}/core/node --no-warnings ${own}/core/app/cli.js`,
    ].filter((line) => !isEnded(line)),
  ).toEqual([]);
  expect(
    [
      `sh ${app}/Resources/uninstall`,
      `vim ${app}/MacOS/Waymaker`,
      `less ${own}/core/node `,
      // launchd's, as it starts it.
      daemon.ProgramArguments.join(' ').replaceAll(installed, `${own}/core`),
      `${own}/core/node ${own}/core/helper/engine.mjs`,
      '/usr/local/bin/node /Library/Waymaker/cli.js',
    ].filter(isEnded),
  ).toEqual([]);
});

const ownPac = 'http://127.0.0.1:52011/0123456789abcdef.pac';
const services = {
  'Wi-Fi': { url: ownPac, enabled: 'Yes' },
  // Names are taken whole, and a colon stands for a slash.
  'USB 10:100 LAN ': { url: ownPac, enabled: 'Yes' },
  'Bluetooth PAN': { url: ownPac, enabled: 'Yes', isDisabled: '' },
  Thunderbolt: { url: 'http://wpad.example/proxy.pac', enabled: 'Yes' },
  'Another program’s': { url: 'http://127.0.0.1:1080/proxy.pac', enabled: 'Yes' },
  'Never set': { url: '(null)', enabled: 'No' },
};

function withServices(mac: ReturnType<typeof createVolume>) {
  for (const [name, values] of Object.entries(services)) mac.record(`/Services/${name}`, values);
  return () =>
    Object.keys(services).map((name) =>
      ['url', 'enabled'].map((value) => mac.read(`/Services/${name}/${value}`)).join(' '),
    );
}

test('removing leaves no network service with a PAC file of ours, and those of others as they are', async () => {
  const mac = createVolume();
  await installedWith(mac, 0);
  const found = withServices(mac);
  await mac.uninstall();
  expect(found()).toEqual([
    '(null) No',
    '(null) No',
    '(null) No',
    'http://wpad.example/proxy.pac Yes',
    'http://127.0.0.1:1080/proxy.pac Yes',
    '(null) No',
  ]);
  expect(leftOf(mac)).toEqual([]);
});

test('removing waits for an app that puts back what was there before', async () => {
  const mac = createVolume();
  await installedWith(mac, 0);
  const found = withServices(mac);
  mac.appDoes(
    'cd "$RECORDS/Services" && for one in Wi-Fi USB* Blue*; do printf http://before.example/a.pac > "$one/url"; done',
  );
  await mac.uninstall();
  expect(found().slice(0, 3)).toEqual(Array.from({ length: 3 }, () => 'http://before.example/a.pac Yes'));
  const commands = mac.commands();
  expect(commands.filter((line) => line.startsWith('networksetup'))).toEqual([]);
  // Only then is the app ended, and the helper.
  const order = [/--disconnect$/, /^sleep/, /^launchctl bootout/, /--restore$/, /^pkill/].map((one) =>
    commands.findIndex((line) => one.test(line)),
  );
  expect(order).toEqual(order.toSorted((one, other) => one - other));
  expect(order).not.toContain(-1);
});

test('removing again, or what is not installed, changes nothing', async () => {
  const mac = await createVolumeWithAccounts();
  await installedWith(mac, 0);
  await mac.uninstall();
  await mac.uninstall();
  expect(leftOf(mac)).toEqual([]);
  expect(mac.commands().some((line) => line.startsWith('node'))).toBe(false);
});

test('nothing is removed where traffic may still be blocked, or the helper does not end', async () => {
  const mac = await createVolumeWithAccounts();
  await installedWith(mac, 1);
  await expect(mac.uninstall()).rejects.toThrow(/still blocked\n.*nothing was removed/);
  await expect(mac.uninstall({ refusals: 99 })).rejects.toThrow(
    'the helper does not end, so nothing was removed',
  );
  expect(leftOf(mac)).toHaveLength(5);
  expect(mac.read('/Users/_waymaker-engine/UniqueID')).toBeDefined();
});

test('after the app was put into the Trash, the helper is removed by the script that only root writes', async () => {
  const mac = createVolume();
  await installedWith(mac, 0);
  rmSync(path.join(mac.volume, 'Applications/Waymaker.app'), { recursive: true });
  const script = path.join(mac.volume, 'Library/Application Support/Waymaker/uninstall');
  expect(statSync(script).mode & 0o777).toBe(0o755);
  await mac.uninstall({ script });
  expect(leftOf(mac)).toEqual([]);
  expect(mac.commands()).toContain(`launchctl bootout system/${label}`);
});

test('only root can remove Waymaker', async () => {
  const mac = await createVolumeWithAccounts();
  await installedWith(mac, 0);
  await expect(mac.uninstall({ userId: 501 })).rejects.toThrow('this needs an administrator');
  expect(mac.commands()).toEqual([]);
  expect(leftOf(mac)).toHaveLength(5);
});

test('the app has the script that removes it', () => {
  expect(configuration.mac?.extraResources).toContainEqual({
    from: path.join(resources, 'uninstall'),
    to: 'uninstall',
  });
  expect(statSync(path.join(resources, 'uninstall')).mode & 0o111).toBe(0o111);
});
