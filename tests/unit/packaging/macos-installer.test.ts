import { execFile } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { XMLParser } from 'fast-xml-parser';
import { expect, onTestFinished, test } from 'vitest';
import { macosPlatform } from '../../../helper/macos/macos-platform.ts';
import { parseOptions } from '../../../helper/options.ts';
import { installerConfiguration } from '../../../packaging/desktop/installer-configuration.ts';
import { helperAddress } from '../../../src/node/os/helper-address.ts';
import { helperService } from '../../../src/main/tunnel/macos/launchd-approval.ts';

const resources = path.resolve(import.meta.dirname, '../../../resources/macos');
const installer = path.join(resources, 'installer');
const label = 'example.waymaker.helper';
const installed = '/Library/Application Support/Waymaker/core';

const configuration = installerConfiguration({
  platform: 'darwin',
  app: '/app',
  electron: { folder: '/electron', version: '1.2.3' },
  folder: '/made',
});

/** One tag; what is in it is text or further tags. */
interface Tag {
  [name: string]: Tag[];
}
const textOf = (tag: object | undefined): string => (tag && '#text' in tag ? String(tag['#text']) : '');

/** A property list in XML (plist(5)) as a value; throws on what is no such list. */
function readPropertyList(xml: string): unknown {
  const parser = new XMLParser({ preserveOrder: true, ignoreDeclaration: true, parseTagValue: false });
  const top = (parser.parse(xml) as Tag[]).find((node) => 'plist' in node);
  return valueOf(top?.['plist']?.[0]);
}

function valueOf(node: Tag | undefined): unknown {
  const [kind = '', inside = []] = Object.entries(node ?? {})[0] ?? [];
  const text = textOf(inside[0]);
  switch (kind) {
    case 'dict':
      return Object.fromEntries(
        inside.flatMap((one, index) =>
          'key' in one ? [[textOf(one['key']?.[0]), valueOf(inside[index + 1])]] : [],
        ),
      );
    case 'array':
      return inside.map((one) => valueOf(one));
    case 'string':
      return text;
    case 'integer':
      return Number(text);
    case 'true':
    case 'false':
      return kind === 'true';
    default:
      throw new Error(`a property list with ${kind}`);
  }
}

const daemon = readPropertyList(readFileSync(path.join(installer, `${label}.plist`), 'utf8')) as {
  ProgramArguments: string[];
  Umask: number;
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
    socket: helperAddress.macosSocket,
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
  });
  expect(statSync(path.join(installer, 'postinstall')).mode & 0o111).toBe(0o111);
});

/** Doubles of macOS's programs, which do not run here; dscl's directory is a folder with a file for each attribute. */
const programs = {
  dscl: `case "$2" in
-read) [ "$4" = RecordName ] && [ -d "$RECORDS$3" ] && exit 0
  [ -f "$RECORDS$3/$4" ] && echo "$4: $(cat "$RECORDS$3/$4")" || { echo "No such key: $4"; exit 1; } ;;
-list) for one in "$RECORDS$3"/*; do [ -f "$one/$4" ] && printf '%-24s %s\\n' "$(basename "$one")" "$(cat "$one/$4")"; done; exit 0 ;;
-create)
  if [ "$4" = "$INTERRUPTED_AT" ]; then exit 9; fi
  mkdir -p "$RECORDS$3" && printf '%s' "$5" > "$RECORDS$3/$4" ;;
-delete) rm -r "$RECORDS$3" ;;
*) exit 64 ;;
esac`,
  dseditgroup: 'echo "$0 $*" | sed "s#.*/##" >> "$COMMANDS"',
  stat: '[ "$*" = "-f %Su /dev/console" ] && echo "$CONSOLE"',
  chown: ':',
  id: '[ "$*" = -u ] && echo "$USER_ID"',
  pkgutil: 'echo "pkgutil $*" >> "$COMMANDS"',
  sleep: 'echo "sleep $*" >> "$COMMANDS"',
  launchctl: `echo "launchctl $*" >> "$COMMANDS"
if [ "$1" = print ]; then [ "$(grep -c print "$COMMANDS")" -le "$REFUSALS" ] || exit 113; fi
[ "$1" != bootstrap ] || [ "$(grep -c bootstrap "$COMMANDS")" -gt "$REFUSALS" ] || { echo 'Bootstrap failed: 5: Input/output error' >&2; exit 5; }`,
} as const;

/** A volume of a Mac with the app on it. */
function createVolume({ hasHelper = true } = {}) {
  const folder = mkdtempSync(path.join(tmpdir(), 'waymaker-volume-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const at = (...names: string[]) => path.join(folder, ...names);
  for (const name of [
    'bin',
    'volume/Library/LaunchDaemons',
    'volume/var/log',
    'records/Users',
    'records/Groups',
  ])
    mkdirSync(at(name), { recursive: true });
  for (const [name, lines] of Object.entries(programs)) {
    writeFileSync(at('bin', name), `#!/bin/sh\n${lines}\n`);
    chmodSync(at('bin', name), 0o755);
  }
  const core = at('volume/Applications/Waymaker.app/Contents/Resources/core');
  mkdirSync(core, { recursive: true });
  if (hasHelper) {
    writeFileSync(path.join(core, 'node'), '#!/bin/sh\nfor word; do echo "$word"; done\n');
    chmodSync(path.join(core, 'node'), 0o777);
  }
  const record = (name: string, values: Record<string, string>) => {
    mkdirSync(at('records', name), { recursive: true });
    for (const [key, value] of Object.entries(values)) writeFileSync(at('records', name, key), value);
  };
  const runScript = (file: string, words: string[], refusals: number, settings: Record<string, string>) => {
    rmSync(at('commands'), { force: true });
    return promisify(execFile)(file, words, {
      env: {
        PATH: `${at('bin')}:${process.env['PATH']}`,
        RECORDS: at('records'),
        COMMANDS: at('commands'),
        REFUSALS: String(refusals),
        ...settings,
      },
    });
  };
  return {
    volume: at('volume'),
    core,
    record,
    read: (name: string) =>
      existsSync(at('records', name)) ? readFileSync(at('records', name), 'utf8') : undefined,
    commands: () =>
      existsSync(at('commands')) ? readFileSync(at('commands'), 'utf8').trim().split('\n') : [],
    async install({ console = 'someone', refusals = 0, interruptedAt = '' } = {}) {
      const words = ['/package.pkg', '/Applications', `${at('volume')}/`];
      const settings = { CONSOLE: console, INTERRUPTED_AT: interruptedAt };
      return await runScript(path.join(installer, 'postinstall'), words, refusals, settings);
    },
    makeAccounts: () => runScript(path.join(installer, 'accounts'), [], 0, { INTERRUPTED_AT: '' }),
    async uninstall({ userId = 0, refusals = 0 } = {}) {
      const settings = { USER_ID: String(userId) };
      return await runScript(path.join(resources, 'uninstall'), [at('volume')], refusals, settings);
    },
  };
}

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
  const mac = createVolume();
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
  const mac = createVolume();
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
  const mac = createVolume();
  const { stderr } = await mac.install({ refusals: 2 });
  expect(mac.commands().filter((line) => line.startsWith('launchctl bootstrap'))).toHaveLength(3);
  expect(stderr).not.toContain('macOS has not started the helper');
});

test('a helper that macOS does not start does not fail the installation, which says where to allow it', async () => {
  const mac = createVolume();
  const { stderr } = await mac.install({ refusals: 99 });
  expect(stderr).toContain('allow Waymaker in System Settings, General, Login Items & Extensions');
  expect(mac.commands().filter((line) => line.startsWith('launchctl bootstrap'))).toHaveLength(10);
});

test.each(['root', 'loginwindow', '_mbsetupuser', ''])(
  'nobody joins the group while %j is logged in at the screen',
  async (console) => {
    const mac = createVolume();
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
async function installedWith(mac: ReturnType<typeof createVolume>, status: number): Promise<void> {
  const lines = `#!/bin/sh\necho "node $*" >> "$COMMANDS"\necho 'still blocked' >&2\nexit ${status}\n`;
  writeFileSync(path.join(mac.core, 'node'), lines);
  await mac.install();
}

const leftOf = (mac: ReturnType<typeof createVolume>) =>
  [
    'Applications/Waymaker.app',
    'Library/Application Support/Waymaker',
    `Library/LaunchDaemons/${label}.plist`,
    'var/log/waymaker-helper.log',
    'var/log/waymaker-helper.log.1',
    'etc/paths.d/waymaker',
  ].filter((file) => existsSync(path.join(mac.volume, file)));

test('removing ends the helper, opens traffic by its own program, and leaves nothing', async () => {
  const mac = createVolume();
  await installedWith(mac, 0);
  // Its earlier part, which a helper has made.
  writeFileSync(path.join(mac.volume, 'var/log/waymaker-helper.log.1'), '');
  expect(leftOf(mac)).toHaveLength(6);
  await mac.uninstall({ refusals: 2 });
  expect(leftOf(mac)).toEqual([]);
  for (const name of ['/Users/_waymaker-engine', '/Users/_waymaker-proxy', '/Groups/waymaker'])
    expect(mac.read(`${name}/RealName`)).toBeUndefined();
  const commands = mac.commands().filter((line) => !line.startsWith('sleep'));
  // While launchd still has it, nothing is undone.
  expect(commands.slice(0, 4)).toEqual([
    `launchctl bootout system/${label}`,
    ...Array.from({ length: 3 }, () => `launchctl print system/${label}`),
  ]);
  expect(commands[4]).toMatch(/^node .*\/helper\/helper\.mjs --restore$/);
});

test('removing again, or what is not installed, changes nothing', async () => {
  const mac = createVolume();
  await installedWith(mac, 0);
  await mac.uninstall();
  await mac.uninstall();
  expect(leftOf(mac)).toEqual([]);
  expect(mac.commands().some((line) => line.startsWith('node'))).toBe(false);
});

test('nothing is removed where traffic may still be blocked, or the helper does not end', async () => {
  const mac = createVolume();
  await installedWith(mac, 1);
  await expect(mac.uninstall()).rejects.toThrow(/still blocked\n.*nothing was removed/);
  await expect(mac.uninstall({ refusals: 99 })).rejects.toThrow(
    'the helper does not end, so nothing was removed',
  );
  expect(leftOf(mac)).toHaveLength(5);
  expect(mac.read('/Users/_waymaker-engine/UniqueID')).toBeDefined();
});

test('only root can remove Waymaker', async () => {
  const mac = createVolume();
  await installedWith(mac, 0);
  await expect(mac.uninstall({ userId: 501 })).rejects.toThrow('this needs an administrator');
  expect(mac.commands()).toEqual([]);
  expect(leftOf(mac)).toHaveLength(5);
});

test('the app has the script that removes it', () => {
  expect(configuration.mac?.extraResources).toEqual([
    { from: path.join(resources, 'uninstall'), to: 'uninstall' },
  ]);
  expect(statSync(path.join(resources, 'uninstall')).mode & 0o111).toBe(0o111);
});
