import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { appId, toastActivator } from '../../src/node/manifest/app-identity.ts';
import { billOfMaterials, type Material } from '../linux/bill-of-materials.ts';
import type { MakeOptions } from '../linux/make-options.ts';
import { forTestsSuffix, product } from '../linux/package-facts.ts';
import { entriesOf, hashOf, settle } from '../linux/tree-files.ts';
import { run } from '../run.ts';
import { lockedPackage } from '../runtime/locked-package.ts';
import type { ElectronFiles } from '../desktop/electron-program.ts';
import type { BundledPackage } from '../linux/core-bundles.ts';
import type { Processor } from '../runtime/processors.ts';
import { authenticodeWords, signProgram } from './authenticode.ts';
import { layWindowsCore, runtimePackage, windowsCore, type WindowsCore } from './core-folder.ts';
import { windowsIcon } from './icon-file.ts';
import { layWindow } from './window-folder.ts';

const root = path.resolve(import.meta.dirname, '../..');
const resources = path.join(root, 'resources/windows');
const signingProgram = path.join(import.meta.dirname, 'sign-program.ts');

export interface InstallerOptions extends MakeOptions {
  /** Where its updates will be; without it, `waymaker update` says that there are none. */
  updatesUrl?: string | undefined;
  /** Electron's files for Windows and that processor; without them, the installer has no window. */
  electron?: ElectronFiles | undefined;
}

/** An installer whose programs trust the tests' key, and which everybody can make, says so in its name. */
export const installerName = (
  version: string,
  processor: Processor,
  { isTest, hasWindow = false }: { isTest: boolean; hasWindow?: boolean },
): string =>
  `${hasWindow ? 'waymaker' : 'waymaker-core'}-${version}-${processor}${isTest ? forTestsSuffix : ''}.exe`;

/** Why the installer for a processor cannot be made anywhere so far; undefined if it can. */
export async function whyNoRuntime(processor: Processor): Promise<string | undefined> {
  const { version } = await lockedPackage('node');
  try {
    await lockedPackage(runtimePackage(processor));
    return undefined;
  } catch {
    return `npm has no ${runtimePackage(processor)} ${version}`;
  }
}

/**
 * Why no release can be made with this makensis, by what it says of its version; undefined if one can. Older ones
 * unpack plugins where another user can exchange them while the system installs (CVE-2025-43715), and start the
 * uninstaller from such a folder (CVE-2023-37378).
 */
export function oldMakensis(said: string): string | undefined {
  const found = /^v?(\d+)\.(\d+)/.exec(said);
  const [major, minor] = [Number(found?.[1] ?? 0), Number(found?.[2] ?? 0)];
  const isSafe = major > 3 || (major === 3 && minor >= 11);
  return isSafe ? undefined : `makensis is ${said.trim() || 'unknown'}, and only 3.11 or later is safe`;
}

/**
 * Makes the installer of helper, command line and perhaps window for Windows; resolves with its path and that of its
 * bill of materials.
 */
export async function makeWindowsInstaller(options: InstallerOptions): Promise<string[]> {
  const { processor, folder, keys, progress, version = product.version, updatesUrl, electron } = options;
  const name = electron ? 'waymaker' : 'waymaker-core';
  const old = keys.isTest ? undefined : oldMakensis(await run('makensis', ['-VERSION']));
  if (old !== undefined) throw new Error(`no release for Windows can be made: ${old}`);
  await mkdir(folder, { recursive: true });
  progress(`the parts for Windows on ${processor}`);
  const core = await windowsCore({ processor, folder, keys, version, updatesUrl, updatesName: name });
  const tree = await mkdtemp(path.join(folder, 'tree-'));
  try {
    await layWindowsCore(path.join(tree, 'core'), core, { keys, version });
    const inWindow = electron
      ? await layWindow(path.join(tree, 'window'), { processor, electron, folder, keys, version, updatesUrl })
      : [];
    progress(`the installer for Windows on ${processor}`);
    const file = await packInstaller({ ...options, tree, version, isTest: keys.isTest });
    const bill = `${file}.cdx.json`;
    const sha256 = await hashOf(file, 'sha256');
    const materials = await materialsOf(core, processor, inWindow);
    await writeFile(bill, await billOfMaterials({ name, sha256, materials }));
    return [file, bill];
  } finally {
    await rm(tree, { recursive: true });
  }
}

/**
 * Packs a folder with the signed folder `core` in it, and perhaps the signed folder `window`. The same files and time
 * give the same bytes with the same makensis, but for the signature that `authenticodeWords` may want.
 */
export async function packInstaller(
  options: Omit<InstallerOptions, 'keys' | 'version'> & { tree: string; version: string; isTest: boolean },
): Promise<string> {
  const { tree, folder, time, processor, compression, version } = options;
  await settle(tree, time);
  const window = path.join(tree, 'window');
  const hasWindow = existsSync(window);
  const file = path.join(folder, installerName(version, processor, { isTest: options.isTest, hasWindow }));
  const authenticode = authenticodeWords(process.env);
  const size = await kibibytesOf(tree);
  const icon = path.join(tree, 'installer.ico');
  await writeFile(icon, await windowsIcon());
  const defines = {
    TREE: path.join(tree, 'core'),
    ...(hasWindow ? { WINDOW: window } : {}),
    OUTPUT: file,
    VERSION: version,
    SIZE: String(size),
    ICON: icon,
    APP_ID: appId,
    TOAST_ACTIVATOR: toastActivator,
    ...(compression === 'fast' ? { FAST: '1' } : {}),
    ...(authenticode ? { SIGN: `"${process.execPath}" "${signingProgram}"` } : {}),
  };
  const words = Object.entries(defines).map(([name, text]) => `-D${name}=${text}`);
  const script = path.join(resources, 'installer.nsi');
  // makensis makes none for Arm, where Windows runs this one all the same.
  await run('makensis', ['-V2', '-WX', ...words, '-XTarget amd64-unicode', script], {
    env: { SOURCE_DATE_EPOCH: String(time), TZ: 'UTC' },
  });
  if (authenticode) await signProgram(file, authenticode);
  return file;
}

async function kibibytesOf(tree: string): Promise<number> {
  let bytes = 0;
  for (const { file, entry } of await entriesOf(tree))
    if (entry.isFile()) bytes += (await stat(path.join(tree, file))).size;
  return Math.ceil(bytes / 1024);
}

async function materialsOf(
  core: WindowsCore,
  processor: Processor,
  inWindow: readonly BundledPackage[],
): Promise<Material[]> {
  const window = inWindow.length > 0 ? ['electron'] : [];
  const names = [runtimePackage(processor), ...core.packages.map(({ name }) => name), ...window];
  const beside = [...new Set(names)].map(async (name) => {
    const { name: original = name, version, license } = await lockedPackage(name);
    return { name: original, version, licence: license };
  });
  const inBundles = [...core.bundled, ...inWindow];
  const bundled = [...new Map(inBundles.map((one) => [`${one.name} ${one.version}`, one])).values()].map(
    ({ name, version, identifier }) => ({
      name,
      version,
      licence: identifier,
    }),
  );
  return [...(await Promise.all(beside)), ...bundled];
}
