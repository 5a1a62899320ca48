import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { link, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { eventually, run } from '../../../lab/runs/process.ts';
import { waitLimit } from '../../../lab/runs/wait-limit.ts';
import { createWindows, whyNoWindows, type Windows } from '../../../lab/windows/windows.ts';
import { brokenHelper, makeInstallers, tamperedHelper, type MadeInstallers } from './made-installers.ts';

// Systems are made, booted and installed on: minutes on a slow machine.
vi.setConfig({ testTimeout: waitLimit(600_000), hookTimeout: waitLimit(600_000) });

const why = whyNoWindows();
const files: Record<string, string> = {};
let made: MadeInstallers | undefined;

beforeAll(async () => {
  if (why !== undefined) return;
  made = await makeInstallers();
  files['first'] = await made.make('0.1.0');
  files['next'] = await made.make('0.2.0');
  files['broken'] = await made.make('0.3.0', { before: brokenHelper });
  files['tampered'] = await made.make('0.4.0', { after: tamperedHelper });
}, waitLimit(600_000));
afterAll(() => made?.[Symbol.asyncDispose]());

const installed = ({ drive }: Windows, file = '') => path.join(drive, 'Program Files/Waymaker', file);
const state = ({ drive }: Windows, file = '') => path.join(drive, 'ProgramData/Waymaker', file);
const minutes = { timeout: 240_000 };

async function install(
  windows: Windows,
  name: string,
  env: Readonly<Record<string, string>> = {},
): Promise<number | null> {
  const file = path.join(windows.folder, `${name}.exe`);
  if (!existsSync(file)) await link(files[name] ?? '', file);
  return (await windows.run([windows.path(`${name}.exe`), '/S'], { ...minutes, env })).code;
}

/** What the installer says of itself. */
const log = (windows: Windows) => readFile(installed(windows, 'install.log'), 'utf16le');

const version = async (windows: Windows) => {
  const command = String.raw`C:\Program Files\Waymaker\core\bin\waymaker.cmd`;
  const manifest = await readFile(installed(windows, 'core/manifest.json'), 'utf8');
  // It starts at all.
  expect((await windows.run(['cmd', '/c', command, '--version'])).code).toBe(0);
  return (JSON.parse(manifest) as { version: string }).version;
};

/** The uninstaller goes on in a copy of its own. */
const folderGone = (windows: Windows) =>
  eventually('the folder is gone', () => !existsSync(installed(windows)) || undefined, minutes);

const lockFile = ({ drive }: Windows) => path.join(drive, 'Program Files/Waymaker.lock');
/** Wine removes it when it has noticed that the installer's process has ended. */
const lockGone = (windows: Windows) =>
  eventually('no installer runs', () => !existsSync(lockFile(windows)) || undefined);

const serviceState = async (windows: Windows) =>
  /STATE\s+: \d+\s+(\w+)/.exec((await windows.run(['sc', 'query', 'Waymaker'])).output)?.[1];

const internetSettings = String.raw`HKCU\Software\Microsoft\Windows\CurrentVersion\Internet Settings`;
const environment = String.raw`HKLM\SYSTEM\CurrentControlSet\Control\Session Manager\Environment`;
const machinePath = async (windows: Windows) =>
  (await windows.run(['reg', 'query', environment, '/v', 'Path'])).output.trim();

const folders = async (windows: Windows) => (await readdir(installed(windows))).sort();
const complete = ['core', 'install.log', 'uninstall.exe'];

test.skipIf(why !== undefined)(
  'a silent installation starts the service, is upgraded while a command runs, and leaves nothing when it is removed',
  async () => {
    await using windows = await createWindows();
    // Longer than what installers of this kind can hold in a variable, and with a name in it.
    const long = `%SystemRoot%\\system32;${'C:\\tools\\of\\somebody;'.repeat(200)}C:\\last`;
    await windows.run(['reg', 'add', environment, '/v', 'Path', '/t', 'REG_EXPAND_SZ', '/d', long, '/f']);
    const before = await machinePath(windows);
    expect(await install(windows, 'first')).toBe(0);
    expect(await folders(windows)).toEqual(complete);
    expect(await serviceState(windows)).toBe('RUNNING');
    expect(await version(windows)).toBe('0.1.0');
    expect(await readFile(state(windows, 'version-floor'), 'utf8')).toBe('0.1.0\n');
    expect(await machinePath(windows)).toBe(`${before};C:\\Program Files\\Waymaker\\core\\bin`);
    expect(await log(windows)).toContain('Waymaker 0.1.0 is installed.');

    // A user's background process has the files open that are replaced.
    windows.start([
      String.raw`C:\Program Files\Waymaker\core\node.exe`,
      '--eval',
      'setInterval(() => 0, 1000)',
    ]);
    await eventually('it runs', () => windows.processes('--eval').length > 0 || undefined);
    expect(await install(windows, 'next')).toBe(0);
    await expect.poll(() => windows.processes('--eval')).toEqual([]);
    expect(await folders(windows)).toEqual(complete);
    expect(await serviceState(windows)).toBe('RUNNING');
    expect(await version(windows)).toBe('0.2.0');
    expect(await machinePath(windows)).toBe(`${before};C:\\Program Files\\Waymaker\\core\\bin`);

    // A user's app was killed while it was connected.
    const pac = ['/v', 'AutoConfigURL', '/d', 'http://127.0.0.1:40123/0123456789abcdef.pac', '/f'];
    expect((await windows.run(['reg', 'add', internetSettings, ...pac])).code).toBe(0);
    await windows.run([String.raw`C:\Program Files\Waymaker\uninstall.exe`, '/S'], minutes);
    await folderGone(windows);
    expect((await windows.run(['reg', 'query', internetSettings, '/v', 'AutoConfigURL'])).code).not.toBe(0);
    expect(existsSync(state(windows))).toBe(false);
    expect(await serviceState(windows)).toBeUndefined();
    expect(await machinePath(windows)).toBe(before);
    const entry = String.raw`HKLM\Software\Microsoft\Windows\CurrentVersion\Uninstall\Waymaker`;
    expect((await windows.run(['reg', 'query', entry])).code).not.toBe(0);
  },
);

test.skipIf(why !== undefined)(
  'what the user’s environment has Node load does not run as the administrator who allows an installation',
  async () => {
    await using windows = await createWindows();
    await writeFile(
      path.join(windows.folder, 'loaded.cjs'),
      `require('node:fs').appendFileSync(${JSON.stringify(windows.path('loaded'))}, process.argv.join(' ') + '\\n');`,
    );
    const env = { NODE_OPTIONS: `--require=${windows.path('loaded.cjs').replaceAll('\\', '/')}` };
    expect((await windows.run([windows.path('node.exe'), '--eval', '0'], { env })).code).toBe(0);
    const loaded = path.join(windows.folder, 'loaded');
    expect(existsSync(loaded), 'such a file is loaded').toBe(true);
    await rm(loaded);
    expect(await install(windows, 'first', env)).toBe(0);
    expect(existsSync(loaded), 'by the installer').toBe(false);
    await windows.run([String.raw`C:\Program Files\Waymaker\uninstall.exe`, '/S'], { ...minutes, env });
    await folderGone(windows);
    expect(existsSync(loaded), 'by the uninstaller').toBe(false);
  },
);

test.skipIf(why !== undefined)(
  'an upgrade that is damaged, or does not start, leaves the version before it running',
  async () => {
    await using windows = await createWindows();
    expect(await install(windows, 'next')).toBe(0);
    const expectUntouched = async () => {
      expect(await folders(windows)).toEqual(complete);
      expect(await version(windows)).toBe('0.2.0');
      expect(await serviceState(windows)).toBe('RUNNING');
    };

    expect(await install(windows, 'tampered')).toBe(1);
    expect(await log(windows)).toContain('helper/helper.mjs is not what was signed');
    await expectUntouched();

    expect(await install(windows, 'first')).toBe(1);
    expect(await log(windows)).toContain('version 0.1.0 is older than 0.2.0');
    await expectUntouched();

    expect(await install(windows, 'broken')).toBe(1);
    expect(await log(windows)).toContain('The service of Waymaker does not start');
    await expectUntouched();

    // A newer one that has run, and has died only then, does not lock the older one out.
    await writeFile(state(windows, 'version-floor'), '0.2.9\n');
    expect(await install(windows, 'broken')).toBe(1);
    await expectUntouched();
  },
);

test.skipIf(why !== undefined)(
  'an installer that was interrupted between its renames is completed by the next one',
  async () => {
    await using windows = await createWindows();
    expect(await install(windows, 'first')).toBe(0);
    await windows.run(['sc', 'stop', 'Waymaker']);
    await eventually('it has stopped', async () => (await serviceState(windows)) === 'STOPPED' || undefined);
    await run(['mv', installed(windows, 'core'), installed(windows, 'core.old')]);
    await mkdir(installed(windows, 'core.new'));
    await writeFile(installed(windows, 'core.new/node.exe'), 'half');
    expect(await install(windows, 'next')).toBe(0);
    expect(await folders(windows)).toEqual(complete);
    expect(await version(windows)).toBe('0.2.0');
  },
);

test.skipIf(why !== undefined)(
  'a folder that cannot be renamed stays, and its service runs again',
  async () => {
    await using windows = await createWindows();
    expect(await install(windows, 'first')).toBe(0);
    // Nobody can rename what something is mounted on, as on Windows what somebody has open.
    const inside = ['nsenter', `--target=${windows.processes('wineserver64')[0]}`, '--mount', '--'];
    const core = path.join(windows.folder, '../tree/root/.wine/drive_c/Program Files/Waymaker/core');
    await run([...inside, 'mount', '--bind', core, core]);
    expect(await install(windows, 'next')).toBe(1);
    expect(await log(windows)).toContain('Something still uses the files');
    expect(await folders(windows)).toEqual(complete);
    expect(await version(windows)).toBe('0.1.0');
    expect(await serviceState(windows)).toBe('RUNNING');
  },
);

test.skipIf(why !== undefined)('a full disk leaves the installed program as it is', async () => {
  await using windows = await createWindows();
  // What is installed later has no room in this part of the disk.
  const pid = String(windows.processes('wineserver64')[0]);
  const small = path.join(windows.folder, '../tree/root/.wine/drive_c/Program Files/Waymaker');
  await mkdir(installed(windows), { recursive: true });
  const inside = ['nsenter', `--target=${pid}`, '--mount', '--'];
  await run([...inside, 'mount', '-t', 'tmpfs', '-o', 'size=150m', 'tmpfs', small]);
  expect(await install(windows, 'first')).toBe(0);
  expect(await install(windows, 'next')).toBe(1);
  expect(await log(windows)).toContain('Is there room on the disk?');
  expect(await version(windows)).toBe('0.1.0');
  expect(await serviceState(windows)).toBe('RUNNING');
  expect(await folders(windows)).toEqual(complete);
});

test.skipIf(why !== undefined)(
  'nothing is removed while traffic may be blocked that nobody else could unblock',
  async () => {
    await using windows = await createWindows();
    expect(await install(windows, 'first')).toBe(0);
    // Wine has no filters: no helper there can undo what a journal mentions.
    const entry = { version: 2, connection: null, steps: [{ kind: 'packet-filter' }] };
    await writeFile(state(windows, 'journal.json'), JSON.stringify(entry));
    await windows.run([String.raw`C:\Program Files\Waymaker\uninstall.exe`, '/S'], minutes);
    await eventually(
      'it has given up',
      async () => (await log(windows)).includes('nothing was removed') || undefined,
      minutes,
    );
    expect(await serviceState(windows)).toBe('RUNNING');
    expect(await version(windows)).toBe('0.1.0');

    await lockGone(windows);
    // A helper that runs goes by what it knows, and writes its journal again when its connection is ended.
    await windows.run(['sc', 'stop', 'Waymaker']);
    await eventually('it has stopped', async () => (await serviceState(windows)) === 'STOPPED' || undefined);
    await rm(state(windows, 'journal.json'));
    await windows.run([String.raw`C:\Program Files\Waymaker\uninstall.exe`, '/S'], minutes);
    await folderGone(windows);
  },
);

test.skipIf(why !== undefined)(
  'installers run one at a time, which no user without rights can prevent',
  async () => {
    await using windows = await createWindows();
    // The name that installers of this kind usually take.
    const squatter = `
      const koffi = require('koffi');
      const create = koffi.load('kernel32.dll').func('CreateMutexW', 'intptr_t', ['intptr_t', 'int', 'str16']);
      console.log(create(0, 1, 'Global\\\\WaymakerInstaller'));
      setInterval(() => 0, 1000);
    `;
    await writeFile(path.join(windows.folder, 'squatter.cjs'), squatter);
    const squatting = windows.start([windows.path('node.exe'), windows.path('squatter.cjs')]);
    await eventually('it has the name', () => /^[1-9]/m.test(squatting.output()) || undefined);
    expect(await install(windows, 'first')).toBe(0);

    const lock = String.raw`C:\Program Files\Waymaker.lock`;
    await lockGone(windows);
    await writeFile(
      path.join(windows.folder, 'other.cjs'),
      `require('node:fs').openSync(${JSON.stringify(lock)}, 'w'); console.log('held'); setInterval(() => 0, 1000);`,
    );
    const other = windows.start([windows.path('node.exe'), windows.path('other.cjs')]);
    await eventually('another one runs', () => other.output().includes('held') || undefined);
    expect(await install(windows, 'next')).toBe(1);
    expect(await version(windows)).toBe('0.1.0');
    for (const pid of windows.processes('other.cjs')) process.kill(pid, 'SIGKILL');
    await eventually('it has ended', () => windows.processes('other.cjs').length === 0 || undefined);
    expect(await install(windows, 'next')).toBe(0);
    expect(await version(windows)).toBe('0.2.0');
    await lockGone(windows);
  },
);

test.skipIf(why !== undefined)('two people make the same installer', async () => {
  await using others = await makeInstallers();
  const [ours, theirs] = await Promise.all(
    [files['first'], await others.make('0.1.0')].map(async (file) =>
      createHash('sha256')
        .update(await readFile(file ?? ''))
        .digest('hex'),
    ),
  );
  expect(theirs).toBe(ours);
});
