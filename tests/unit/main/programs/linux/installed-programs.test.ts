import { execFileSync } from 'node:child_process';
import { chmod, copyFile, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { crc32, deflateSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createIconFinder } from '../../../../../src/main/programs/linux/program-icons.ts';
import { findInstalledPrograms } from '../../../../../src/main/programs/linux/installed-programs.ts';

let root = '';
const at = (...parts: string[]) => path.join(root, ...parts);

beforeEach(async () => {
  root = await mkdtemp(path.join(os.tmpdir(), 'waymaker-apps-'));
  await mkdir(at('bin'));
  for (const name of ['app', 'chromium', 'vim', 'python3.11', 'gcr-viewer']) await program(name);
});
afterEach(() => rm(root, { recursive: true, force: true }));

async function program(name: string, text = '#!/bin/sh\n'): Promise<void> {
  await writeFile(at('bin', name), text);
  await chmod(at('bin', name), 0o755);
}

async function entry(file: string, lines: Record<string, string>): Promise<void> {
  const all = { Type: 'Application', Name: 'An app', Exec: 'app', ...lines };
  await mkdir(path.dirname(at(file)), { recursive: true });
  await writeFile(
    at(file),
    ['[Desktop Entry]', ...Object.entries(all).map((pair) => pair.join('='))].join('\n'),
  );
}

const surroundings = (env: NodeJS.ProcessEnv = {}, locales = ['en']) => ({
  home: at('home'),
  locales,
  env: { XDG_DATA_HOME: at('own'), XDG_DATA_DIRS: `${at('all')}:relative`, PATH: at('bin'), ...env },
});
const found = async (env?: NodeJS.ProcessEnv, locales?: string[]) =>
  (await findInstalledPrograms(surroundings(env, locales))).map(({ id, name }) => `${id} ${name}`);

test("Debian's own entries are found by name, without those that no menu shows", async () => {
  await mkdir(at('all/applications'), { recursive: true });
  const fixtures = 'tests/fixtures/desktop-entries';
  for (const name of await readdir(fixtures)) {
    await copyFile(path.join(fixtures, name), at('all/applications', name));
  }
  await program('gcr-prompter');
  // Their programs are named by paths of a system that need not be this one.
  const programs = await findInstalledPrograms(surroundings({ PATH: `${at('bin')}:/usr/bin` }));
  const ids = programs.map(({ id }) => id);
  expect(ids).toContain('vim.desktop');
  expect(ids).not.toContain('gcr-prompter.desktop');
  expect(ids).not.toContain('gcr-viewer.desktop');
  expect(programs.find(({ id }) => id === 'vim.desktop')).toMatchObject({
    command: ['vim'],
    needsTerminal: true,
  });
});

test('the ids are of where files are, and the first of an id hides the others, even if it is hidden itself', async () => {
  await entry('own/applications/mine.desktop', { Name: 'Mine' });
  await entry('all/applications/mine.desktop', { Name: 'Not mine' });
  await entry('all/applications/kde/deep/tool.desktop', { Name: 'Tool' });
  await entry('own/applications/gone.desktop', { Hidden: 'true' });
  await entry('all/applications/gone.desktop', { Name: 'Gone' });
  await entry('own/flatpak/exports/share/applications/org.example.Flat.desktop', {
    Name: 'Flat',
    Exec: '/usr/bin/flatpak run --command=flat org.example.Flat @@u %U @@',
    'X-Flatpak': 'org.example.Flat',
  });
  expect(await found()).toEqual([
    'org.example.Flat.desktop Flat',
    'mine.desktop Mine',
    'kde-deep-tool.desktop Tool',
  ]);
});

test('a snap is known by the name of its instance, as snapd writes it into the entry', async () => {
  const hint = 'BAMF_DESKTOP_FILE_HINT=/var/lib/snapd/desktop/applications/player_second.desktop';
  await entry('all/applications/player_second.desktop', {
    Name: 'Player',
    Exec: `env ${hint} app %U`,
    'X-SnapInstanceName': 'player_second',
  });
  await entry('all/applications/plain.desktop', { Name: 'Plain' });
  const programs = await findInstalledPrograms(surroundings());
  expect(programs.map(({ id, sandbox }) => [id, sandbox])).toEqual([
    ['plain.desktop', undefined],
    ['player_second.desktop', { kind: 'snap', name: 'player_second' }],
  ]);
});

test('what no menu of this desktop would show, or nothing can start, is left out', async () => {
  await entry('all/applications/shown.desktop', { Name: 'Shown', 'Name[zh_CN]': '显示' });
  await entry('all/applications/no-display.desktop', { NoDisplay: 'true' });
  await entry('all/applications/link.desktop', { Type: 'Link', URL: 'https://www.example.com' });
  await entry('all/applications/gnome.desktop', { Name: 'For GNOME', OnlyShowIn: 'GNOME;' });
  await entry('all/applications/not-kde.desktop', { Name: 'Not for KDE', NotShowIn: 'KDE;' });
  await entry('all/applications/tried.desktop', { TryExec: 'not-there' });
  await entry('all/applications/no-program.desktop', { Exec: '/nonexistent/app' });
  await entry('all/applications/bad-exec.desktop', { Exec: 'app "no end' });
  await entry('all/applications/empty-exec.desktop', { Exec: '', DBusActivatable: 'true' });
  await entry('all/applications/no-name.desktop', { Name: ' \u0007 ' });
  await entry('all/applications/not-an-entry.txt', {});
  expect(await found({ XDG_CURRENT_DESKTOP: 'KDE' })).toEqual(['shown.desktop Shown']);
  expect(new Set(await found({ XDG_CURRENT_DESKTOP: 'ubuntu:GNOME' }, ['zh_CN']))).toEqual(
    new Set(['gnome.desktop For GNOME', 'not-kde.desktop Not for KDE', 'shown.desktop 显示']),
  );
});

test('files that are no files, too long, or lead round in circles do no harm', async () => {
  await entry('all/applications/good.desktop', { Name: `Good\u202e\t${'x'.repeat(5000)}` });
  execFileSync('mkfifo', [at('all/applications/pipe.desktop')]);
  await writeFile(at('all/applications/long.desktop'), `[Desktop Entry]\n${'#'.repeat(300 * 1024)}`);
  await writeFile(at('all/applications/bytes.desktop'), Buffer.from([0xff, 0xfe, 0, 1, 2]));
  await symlink(at('all'), at('all/applications/circle'));
  await symlink(at('nowhere'), at('all/applications/broken.desktop'));
  await mkdir(at('all/applications/folder.desktop'));
  const programs = await findInstalledPrograms(surroundings());
  expect(programs.map(({ id }) => id)).toEqual(['good.desktop']);
  expect(programs[0]?.name).toMatch(/^Good x+$/);
  expect(programs[0]?.name).toHaveLength(100);
});

function png(width: number, height: number): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const typed = Buffer.concat([Buffer.from(type), data]);
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    sum.writeUInt32BE(crc32(typed));
    return Buffer.concat([length, typed, sum]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 0], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const data = deflateSync(Buffer.alloc(Math.min((width + 1) * height, 4096)));
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', data),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

async function iconFile(file: string, content: Buffer | string): Promise<void> {
  await mkdir(path.dirname(at(file)), { recursive: true });
  await writeFile(at(file), content);
}

async function theme(...directories: [name: string, size: number, type: string][]): Promise<void> {
  const groups = directories.map(([name, size, type]) => `[${name}]\nSize=${size}\nType=${type}\n`);
  const list = directories.map(([name]) => name).join();
  await iconFile('all/icons/hicolor/index.theme', `[Icon Theme]\nDirectories=${list}\n${groups.join('')}`);
}

test('an icon is the one nearest to the size it is shown in, by its name or by its path', async () => {
  await theme(
    ['16x16/apps', 16, 'Threshold'],
    ['64x64/apps', 64, 'Threshold'],
    ['512x512/apps', 512, 'Fixed'],
  );
  for (const size of [16, 64, 512])
    await iconFile(`all/icons/hicolor/${size}x${size}/apps/app.png`, png(size, size));
  await iconFile('own/icons/hicolor/16x16/apps/small.png', png(16, 16));
  await iconFile('all/pixmaps/loose.png', png(32, 32));
  const find = createIconFinder(surroundings());
  const url = (size: number) => `data:image/png;base64,${png(size, size).toString('base64')}`;
  expect(await find('app')).toBe(url(64));
  expect(await find('app.png')).toBe(url(64));
  expect(await find('small')).toBe(url(16));
  expect(await find('loose')).toBe(url(32));
  expect(await find(at('all/pixmaps/loose.png'))).toBe(url(32));
  expect(await find('nowhere')).toBe('');
  expect(await find(undefined)).toBe('');
});

test('pictures that are none, or would take more than they seem to, are not handed out', async () => {
  await theme(['scalable/apps', 128, 'Scalable'], ['../../../secret', 64, 'Fixed']);
  const svg = '<svg xmlns="http://www.w3.org/2000/svg"></svg>';
  const files: Record<string, Buffer | string> = {
    'good.svg': svg,
    'bomb.svg': `<!DOCTYPE svg [<!ENTITY a "aa">]>${svg}`,
    'copies.svg': `<svg>${'<use href="#a"/>'.repeat(100)}</svg>`,
    'text.svg': 'no picture',
    'text.png': 'no picture',
    'wide.png': png(60_000, 60_000),
    'long.png': Buffer.concat([png(64, 64), Buffer.alloc(200 * 1024)]),
  };
  for (const [name, content] of Object.entries(files))
    await iconFile(`all/icons/hicolor/scalable/apps/${name}`, content);
  await iconFile('secret/stolen.png', png(64, 64));
  await symlink('/dev/zero', at('all/icons/hicolor/scalable/apps/endless.png'));
  const find = createIconFinder(surroundings());
  expect(await find('good')).toBe(`data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`);
  const others = ['bomb', 'copies', 'text', 'wide', 'long', 'endless', 'stolen', '../../../secret/stolen'];
  for (const name of others) expect([name, await find(name)]).toEqual([name, '']);
  expect(await find(at('all/icons/hicolor/index.theme'))).toBe('');
});
