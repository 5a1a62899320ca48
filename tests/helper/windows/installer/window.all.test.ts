import { existsSync } from 'node:fs';
import {
  appendFile,
  copyFile,
  link,
  mkdir,
  readdir,
  readFile,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { appId, toastActivator } from '#node/manifest/app-identity.ts';
import { eventually, run as runHere } from '../../../lab/runs/process.ts';
import { waitLimit } from '../../../lab/runs/wait-limit.ts';
import { createWindows, whyNoWindows, type Windows } from '../../../lab/windows/windows.ts';
import { complaintOfElectron } from '../../../unit/packaging/support/electron-check.ts';
import { resourceIn } from '../../../unit/packaging/support/program-resources.ts';
import { brokenHelper, compileForWindows, makeInstallers, type MadeInstallers } from './made-installers.ts';

// Systems are made, booted and installed on: minutes on a slow machine.
vi.setConfig({ testTimeout: waitLimit(600_000), hookTimeout: waitLimit(600_000) });

const why = whyNoWindows();
const files: Record<string, string> = {};
let made: MadeInstallers | undefined;

beforeAll(async () => {
  if (why !== undefined) return;
  made = await makeInstallers();
  const hasWindow = true;
  files['core-only'] = await made.make('0.1.0');
  files['first'] = await made.make('0.1.1', { hasWindow });
  files['next'] = await made.make('0.2.0', { hasWindow });
  files['broken'] = await made.make('0.3.0', { hasWindow, before: brokenHelper });
  files['tampered'] = await made.make('0.4.0', {
    hasWindow,
    afterWindow: (window) => appendFile(path.join(window, 'resources.pak'), '\n'),
  });
}, waitLimit(600_000));
afterAll(() => made?.[Symbol.asyncDispose]());

const installed = ({ drive }: Windows, file = '') => path.join(drive, 'Program Files/Waymaker', file);
const shortcut = ({ drive }: Windows) =>
  path.join(drive, 'ProgramData/Microsoft/Windows/Start Menu/Programs/Waymaker.lnk');
const program = String.raw`C:\Program Files\Waymaker\window\Waymaker.exe`;
const opened = async ({ drive }: Windows) =>
  (await readFile(path.join(drive, 'opened.txt'), 'utf8').catch(() => '')).split(/\r?\n/).filter(Boolean);
const userPrograms = 'AppData/Roaming/Microsoft/Windows/Start Menu/Programs';
const minutes = { timeout: 240_000 };

async function install(windows: Windows, name: string, ...words: string[]): Promise<number | null> {
  const file = path.join(windows.folder, `${name}.exe`);
  if (!existsSync(file)) await link(files[name] ?? '', file);
  return (await windows.run([windows.path(`${name}.exe`), '/S', ...words], minutes)).code;
}

const log = (windows: Windows) => readFile(installed(windows, 'install.log'), 'utf16le');
const folders = async (windows: Windows) => (await readdir(installed(windows))).sort();
const complete = ['core', 'install.log', 'uninstall.exe', 'window'];

/** The versions of both folders. */
const versions = (windows: Windows) =>
  Promise.all(
    ['core', 'window'].map(async (folder) => {
      const manifest = await readFile(installed(windows, `${folder}/manifest.json`), 'utf8');
      return (JSON.parse(manifest) as { version: string }).version;
    }),
  );

/** What the registry says of a key, or of one of its values; undefined without it. */
async function registry(windows: Windows, key: string, ...value: string[]): Promise<string | undefined> {
  const { code, output } = await windows.run(['reg', 'query', key, ...value]);
  return code === 0 ? output : undefined;
}

/** Somebody has the window open. */
async function open(windows: Windows): Promise<void> {
  windows.start([program]);
  await eventually('the window is open', () => windows.processes('Waymaker.exe').length > 0 || undefined);
}

/** There is no desktop under wine, which starts programs for its user. */
async function bringDesktop(windows: Windows): Promise<void> {
  const explorer = path.join(windows.drive, 'windows/explorer.exe');
  const double = path.join(windows.folder, 'explorer.exe');
  await compileForWindows('explorer-double.c', double, '-municode', '-mwindows');
  await rm(explorer, { force: true });
  await copyFile(double, explorer);
}

/** What Windows' own calls read of a program, and of the shortcut. */
async function readByWindows(windows: Windows, file: string): Promise<string[]> {
  const reader = path.join(windows.folder, 'shell-reader.exe');
  await compileForWindows('shell-reader.c', reader, '-municode', '-lversion', '-lole32', '-luuid');
  const from = String.raw`C:\ProgramData\Microsoft\Windows\Start Menu\Programs\Waymaker.lnk`;
  const { output } = await windows.run([windows.path('shell-reader.exe'), file, from]);
  return output.trim().split('\n');
}

/** Shell links note what is set, decoded by Windows' headers: wine does not keep their properties. */
async function doubleLinks(windows: Windows): Promise<void> {
  const library = path.join(windows.folder, 'link-double.dll');
  await compileForWindows('link-double.c', library, '-shared', '-lole32', '-luuid');
  const words = ['/ve', '/d', windows.path('link-double.dll'), '/f'];
  expect((await windows.run(['reg', 'add', shellLink, ...words])).code).toBe(0);
}

const shellLink = String.raw`HKLM\Software\Classes\CLSID\{00021401-0000-0000-C000-000000000046}\InProcServer32`;
// A backslash before the braces would take them literally.
const activator = [String.raw`HKCU\Software\Classes\CLSID`, toastActivator].join('\\');
const scheme = String.raw`HKLM\Software\Classes\waymaker`;
const profiles = String.raw`HKLM\Software\Microsoft\Windows NT\CurrentVersion\ProfileList`;
const run = String.raw`HKCU\Software\Microsoft\Windows\CurrentVersion\Run`;

test.skipIf(why !== undefined)(
  'the window comes with a shortcut and its links, is ended and opened again by an upgrade, and leaves nothing behind',
  async () => {
    await using windows = await createWindows();
    await bringDesktop(windows);
    expect(await install(windows, 'first')).toBe(0);
    expect(await folders(windows)).toEqual(complete);
    expect(await versions(windows)).toEqual(['0.1.1', '0.1.1']);
    const details = ['ProductName: Waymaker', 'ProductVersion: 0.1.1', 'version: 0.1.1.0', 'pictures: 7'];
    expect((await readByWindows(windows, windows.path('first.exe'))).slice(0, 6)).toEqual([
      'CompanyName: Waymaker',
      'FileDescription: Installs Waymaker',
      ...details,
    ]);
    expect(await readByWindows(windows, program)).toEqual([
      'CompanyName: Waymaker',
      'FileDescription: Waymaker',
      ...details,
      `path: ${program}`,
      String.raw`directory: C:\Program Files\Waymaker\window`,
      String.raw`icon: C:\Program Files\Waymaker\window\Waymaker.ico, 0`,
    ]);
    expect(await log(windows)).not.toContain('identity');
    const command = await registry(windows, String.raw`${scheme}\shell\open\command`, '/ve');
    expect(command).toContain(`"${program}" -- "%1"`);
    expect(await registry(windows, scheme, '/v', 'URL Protocol')).toBeDefined();
    // Nobody has asked for it.
    expect(await opened(windows)).toEqual([]);

    await open(windows);
    await eventually('it has looked for its hashes', async () => (await opened(windows)).length || undefined);
    const hashes = await readFile(path.join(windows.drive, 'hashes.json'));
    const file = installed(windows, 'window/Waymaker.exe');
    expect(resourceIn(file, 'Integrity', 'ElectronAsar')?.equals(hashes)).toBe(true);
    expect(complaintOfElectron(file)).toBeUndefined();
    const before = windows.processes('Waymaker.exe');
    expect(await install(windows, 'next')).toBe(0);
    expect(await versions(windows)).toEqual(['0.2.0', '0.2.0']);
    expect(await folders(windows)).toEqual(complete);
    await eventually('it is open again', async () => (await opened(windows)).length === 2 || undefined);
    expect(windows.processes('Waymaker.exe').filter((pid) => before.includes(pid))).toEqual([]);

    // The user has it started at login.
    const item = ['/v', appId, '/d', `"${program}" --hidden`, '/f'];
    expect((await windows.run(['reg', 'add', run, ...item])).code).toBe(0);
    await windows.run(['reg', 'add', run, '/v', 'Other', '/d', 'other.exe', '/f']);
    // Electron adds these for a user who gets a notification.
    const programs = path.join(windows.drive, 'users/root', userPrograms);
    await mkdir(programs, { recursive: true });
    for (const name of ['Waymaker.lnk', 'Other.lnk']) await writeFile(path.join(programs, name), '');
    // Another user has that folder lead elsewhere, and would have an administrator remove what is there.
    const others = path.join(windows.drive, 'users/other');
    const elsewhere = path.join(windows.drive, 'elsewhere');
    const profile = String.raw`${profiles}\S-1-5-21-1-2-3-1002`;
    await windows.run([
      'reg',
      'add',
      profile,
      '/v',
      'ProfileImagePath',
      '/d',
      String.raw`C:\users\other`,
      '/f',
    ]);
    await mkdir(path.join(others, path.dirname(userPrograms)), { recursive: true });
    await mkdir(elsewhere);
    await writeFile(path.join(elsewhere, 'Waymaker.lnk'), '');
    const redirected = path.join(others, userPrograms);
    // Wine's own root is another one.
    await symlink(path.relative(path.dirname(redirected), elsewhere), redirected);
    const server = [String.raw`${activator}\LocalServer32`, '/ve', '/d', program, '/f'];
    expect((await windows.run(['reg', 'add', ...server])).code).toBe(0);
    await windows.run([String.raw`C:\Program Files\Waymaker\uninstall.exe`, '/S'], minutes);
    await eventually('the folder is gone', () => !existsSync(installed(windows)) || undefined, minutes);
    await expect.poll(() => windows.processes('Waymaker.exe')).toEqual([]);
    expect(existsSync(shortcut(windows))).toBe(false);
    expect(await registry(windows, scheme)).toBeUndefined();
    expect(await registry(windows, run, '/v', appId)).toBeUndefined();
    expect((await readdir(programs)).filter((name) => name.endsWith('.lnk'))).toEqual(['Other.lnk']);
    expect(await readdir(elsewhere)).toEqual(['Waymaker.lnk']);
    expect(await registry(windows, activator)).toBeUndefined();
    expect(await registry(windows, run, '/v', 'Other')).toBeDefined();
  },
);

test.skipIf(why !== undefined)(
  'the shortcut says by what Windows knows the app, and whom to ask about clicks on its notifications, as the app does',
  async () => {
    await using windows = await createWindows();
    await doubleLinks(windows);
    expect(await install(windows, 'first')).toBe(0);
    expect((await readFile(path.join(windows.drive, 'link.txt'), 'utf8')).trim().split(/\r?\n/)).toEqual([
      `path: ${program}`,
      String.raw`directory: C:\Program Files\Waymaker\window`,
      String.raw`icon: C:\Program Files\Waymaker\window\Waymaker.ico`,
      `id: ${appId}`,
      `activator: ${toastActivator}`,
      'commit: ',
      String.raw`save: C:\ProgramData\Microsoft\Windows\Start Menu\Programs\Waymaker.lnk`,
    ]);
    expect(existsSync(shortcut(windows))).toBe(true);
  },
);

test.skipIf(why !== undefined)(
  'an upgrade that is damaged, or does not start, leaves helper and window of the version before, and opens it again',
  async () => {
    await using windows = await createWindows();
    await bringDesktop(windows);
    expect(await install(windows, 'first')).toBe(0);
    expect(await install(windows, 'tampered', '/OPEN')).toBe(1);
    expect(await log(windows)).toContain('resources.pak is not what was signed');
    await eventually('it is open', async () => (await opened(windows)).length === 1 || undefined);
    expect(await versions(windows)).toEqual(['0.1.1', '0.1.1']);

    expect(await install(windows, 'broken')).toBe(1);
    expect(await log(windows)).toContain('The service of Waymaker does not start');
    expect(await versions(windows)).toEqual(['0.1.1', '0.1.1']);
    expect(await folders(windows)).toEqual(complete);
    await eventually('it is open again', async () => (await opened(windows)).length === 2 || undefined);
  },
);

test.skipIf(why !== undefined)(
  'an upgrade by a service ends the window, and opens it again for whoever had it open (notepad-plus-plus 15280)',
  async () => {
    await using windows = await createWindows();
    await bringDesktop(windows);
    expect(await install(windows, 'first')).toBe(0);
    await open(windows);
    await eventually('it has noted that', async () => (await opened(windows)).length || undefined);
    await link(files['next'] ?? '', path.join(windows.folder, 'next.exe'));
    await compileForWindows('managed.c', path.join(windows.folder, 'managed.exe'), '-municode');
    const words = `${windows.path('managed.exe')} ${windows.path('next.exe')} /S /OPEN`;
    expect((await windows.run(['sc', 'create', 'Managed', 'binPath=', words])).code).toBe(0);
    expect((await windows.run(['sc', 'start', 'Managed'])).code).toBe(0);
    const outcome = () => readFile(path.join(windows.drive, 'managed.txt'), 'utf8').catch(() => '');
    await eventually('it has ended', async () => (await outcome()) || undefined, minutes);
    expect(await outcome()).toMatch(/^session \d, code 0$/m);
    expect(await versions(windows)).toEqual(['0.2.0', '0.2.0']);
    // Wine has its services in the user's session (1); Windows has them in one of their own.
    await eventually('it is open again', async () => (await opened(windows)).length === 2 || undefined);

    // What the installer does in a session of its own, by the calls that wine has of it.
    const core = String.raw`C:\Program Files\Waymaker\core`;
    const step = (...given: string[]) =>
      windows.run([String.raw`${core}\node.exe`, String.raw`${core}\helper\set-up-service.mjs`, ...given]);
    expect(await step('find-window')).toEqual({ code: 0, output: '1' });
    expect(await step('stop')).toMatchObject({ code: 0 });
    expect(await step('find-window')).toEqual({ code: 0, output: '' });
    expect(await step('open-window', '1')).toEqual({ code: 0, output: '' });
    await eventually('it is open again', async () => (await opened(windows)).length === 3 || undefined);
    expect((await opened(windows)).at(-1)).toBe(`"${program}"`);
    for (const given of [
      ['open-window', '1 & calc'],
      ['open-window', '-1'],
      ['stop', '1'],
    ])
      expect((await step(...given)).code, given.join(' ')).toBe(2);
  },
);

test.skipIf(why !== undefined)(
  'while the installer waits for the window’s files, a computer that is switched off keeps its service',
  async () => {
    await using windows = await createWindows();
    expect(await install(windows, 'first')).toBe(0);
    // Nobody can rename what something is mounted on, as on Windows what somebody has open.
    const inside = ['nsenter', `--target=${windows.processes('wineserver64')[0]}`, '--mount', '--'];
    const window = path.join(windows.folder, '../tree/root/.wine/drive_c/Program Files/Waymaker/window');
    await runHere([...inside, 'mount', '--bind', window, window]);
    const over = new AbortController();
    const installing = install(windows, 'next').finally(() => over.abort());
    const unpacked = path.join(installed(windows, 'core.new'), 'manifest.json');
    await eventually('it has unpacked the new one', () => existsSync(unpacked) || undefined, minutes);
    let [looks, without] = [0, 0];
    while (!over.signal.aborted) {
      looks += 1;
      if (!existsSync(installed(windows, 'core/manifest.json'))) without += 1;
      await delay(50);
    }
    expect(await installing).toBe(1);
    expect(looks).toBeGreaterThan(10);
    expect(without).toBe(0);
    expect(await versions(windows)).toEqual(['0.1.1', '0.1.1']);
    expect(await folders(windows)).toEqual(complete);
  },
);

test.skipIf(why !== undefined)(
  'the window is added to an installation without one, which cannot be installed over it again',
  async () => {
    await using windows = await createWindows();
    expect(await install(windows, 'core-only')).toBe(0);
    expect(await install(windows, 'broken')).toBe(1);
    expect(await folders(windows)).toEqual(complete.filter((name) => name !== 'window'));
    expect(await install(windows, 'first')).toBe(0);
    expect(await versions(windows)).toEqual(['0.1.1', '0.1.1']);
    expect(await install(windows, 'core-only')).toBe(1);
    expect(await log(windows)).toContain('Waymaker is installed here with its window');
    expect(await versions(windows)).toEqual(['0.1.1', '0.1.1']);
  },
);
