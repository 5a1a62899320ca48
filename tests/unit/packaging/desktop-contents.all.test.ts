import { mkdir, mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { listPackage } from '@electron/asar';
import { build, Platform } from 'electron-builder';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundleMain } from '../../../packaging/desktop/app-bundle.ts';
import { layApp } from '../../../packaging/desktop/app-folder.ts';
import { makeDesktop } from '../../../packaging/desktop/desktop-package.ts';
import type { ElectronFiles } from '../../../packaging/desktop/electron-program.ts';
import { wrongFuses } from '../../../packaging/desktop/fuses.ts';
import { installerConfiguration } from '../../../packaging/desktop/installer-configuration.ts';
import { installedPackages, nativePackages } from '../../../packaging/linux/core-tree.ts';
import { forTestsOnly, product } from '../../../packaging/linux/package-facts.ts';
import { signingKeys } from '../../../packaging/manifest/signing-keys.ts';
import type { Processor } from '../../../packaging/runtime/processors.ts';
import { run, words } from '../../lab/runs/process.ts';
import { waitLimit } from '../../lab/runs/wait-limit.ts';
import { electronFiles } from './support/electron-files.ts';

/**
 * What is in the packages of the desktop app, made of the current build. In Electron's place is a folder with the names
 * of its files, and its fuses.
 */

const processor = process.arch as Processor;
let directory: string;
let electron: ElectronFiles;

async function make(name: string, given: ElectronFiles | undefined): Promise<string[]> {
  const folder = path.join(directory, name);
  await mkdir(folder);
  const keys = await signingKeys({});
  const time = 1_700_000_000;
  const formats = ['deb', 'rpm'] as const;
  const progress = () => undefined;
  return makeDesktop({
    processor,
    formats,
    folder,
    time,
    compression: 'fast',
    keys,
    electron: given,
    progress,
  });
}

async function unpacked(deb: string): Promise<string> {
  const tree = await mkdtemp(path.join(directory, 'tree-'));
  await run(['dpkg-deb', '--extract', deb, tree]);
  return tree;
}
const namesIn = async (tree: string) =>
  (await run(['sh', '-c', 'cd "$0" && find . -type f | sort', tree])).trim().split('\n');
const field = async (deb: string, name: string) => (await run(['dpkg-deb', '--field', deb, name])).trim();

beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'waymaker-desktop-'));
  electron = await electronFiles(path.join(directory, 'electron'));
});
afterAll(() => rm(directory, { recursive: true }));

test(
  'with Electron’s files, it is `waymaker`: the app in an archive, its fuses set, and nothing of tests',
  async () => {
    const [deb = ''] = await make('app', electron);
    expect(await field(deb, 'Package')).toBe('waymaker');
    expect(await field(deb, 'Depends')).toContain(`waymaker-core (= ${product.version}), `);
    // But for the key, as the description says.
    const description = await field(deb, 'Description');
    expect(description.match(/tests/g)).toEqual(['tests']);
    expect(description).toContain(`${forTestsOnly} it is signed with a key that everybody has.`);
    const tree = await unpacked(deb);
    const own = path.join(tree, 'opt/Waymaker');
    const names = await namesIn(tree);
    expect(names).toContain('./opt/Waymaker/chrome-sandbox');
    expect(names).toContain('./usr/share/icons/hicolor/scalable/apps/waymaker.svg');
    expect(names.filter((name) => /stand-in|playwright|default_app/.test(name))).toEqual([]);
    expect(await wrongFuses(path.join(own, 'waymaker'), 'linux')).toEqual([]);
    expect((await stat(path.join(own, 'waymaker'))).mode & 0o777).toBe(0o755);
    const archived = listPackage(path.join(own, 'resources/app.asar'), { isPack: false });
    for (const name of [
      '/package.json',
      '/out/main/index.js',
      '/out/preload/index.cjs',
      '/out/renderer/index.html',
    ])
      expect(archived).toContain(name);
    expect(archived.filter((name) => /\.(?:br|gz)$|service-worker/.test(name))).toEqual([]);
    // The system loads these from files.
    expect(names.filter((name) => name.endsWith('.node'))).toEqual(
      [
        `node_modules/@koromix/koffi-linux-${processor}/linux_${processor}/koffi.node`,
        `node_modules/keytar/prebuilds/linux-${processor}/keytar.node`,
      ].map((name) => `./opt/Waymaker/resources/app.asar.unpacked/${name}`),
    );
    // Nothing of the machine it was made on.
    const main = await readFile(path.join(own, 'resources/app.asar'), 'latin1');
    expect(main).not.toContain(path.resolve(import.meta.dirname, '../../..'));
  },
  waitLimit(60_000),
);

test(
  'without Electron’s files, the package is the window for tests, and has the same bytes each time',
  async () => {
    const made = await make('window', undefined);
    const [deb = ''] = made;
    expect(await field(deb, 'Package')).toBe('waymaker-test-window');
    expect(await field(deb, 'Conflicts')).toBe('waymaker');
    expect(await field(deb, 'Description')).toMatch(/for tests only/i);
    const names = await namesIn(await unpacked(deb));
    for (const name of ['waymaker', 'stand-in/window.mjs', 'resources/app/out/main/index.js'])
      expect(names).toContain(`./opt/Waymaker/${name}`);
    const bill = JSON.parse(await readFile(made[1] ?? '', 'utf8')) as { components: { purl: string }[] };
    // Of the pages, of the main process, and beside it.
    for (const name of ['react', 'pino', 'koffi', 'playwright-core'])
      expect(bill.components.map(({ purl }) => purl)).toContainEqual(
        expect.stringMatching(new RegExp(`^pkg:npm/${name}@\\d`)),
      );
    for (const [index, file] of (await make('again', undefined)).entries())
      expect((await readFile(file)).equals(await readFile(made[index] ?? '')), file).toBe(true);
  },
  waitLimit(120_000),
);

test(
  'electron-builder packs the same app by our configuration, with the fuses set',
  async () => {
    const app = path.join(directory, 'installers/app');
    const keys = await signingKeys({});
    const main = await bundleMain(path.join(directory, 'installers/bundles'), keys.publicKeys);
    const packages = nativePackages(processor, installedPackages);
    await layApp(app, { main: main.file, version: product.version, packages });
    const config = installerConfiguration({
      platform: 'linux',
      app,
      electron: { folder: electron.folder, version: '45.4.1' },
      folder: path.join(directory, 'installers/made'),
    });
    const targets = Platform.LINUX.createTarget('dir');
    await build({ projectDir: app, config, targets });
    const [folder = ''] = (await run(words(`find ${directory}/installers/made -maxdepth 1 -name *unpacked`)))
      .trim()
      .split('\n');
    expect(await wrongFuses(path.join(folder, 'waymaker'), 'linux')).toEqual([]);
    const archived = listPackage(path.join(folder, 'resources/app.asar'), { isPack: false });
    expect(archived).toContain('/out/main/index.js');
    expect(archived).toContain('/node_modules/koffi/package.json');
    expect(await namesIn(path.join(folder, 'resources/app.asar.unpacked'))).toHaveLength(2);
  },
  waitLimit(60_000),
);
