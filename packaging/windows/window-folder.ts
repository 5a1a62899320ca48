import { mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import { packagesOfPages } from '../../scripts/third-party-notices/notices.ts';
import { windowProduct } from '../../src/node/manifest/core-product.ts';
import { bundleMain } from '../desktop/app-bundle.ts';
import { layApp } from '../desktop/app-folder.ts';
import { layElectron, type ElectronFiles, type InstalledProgram } from '../desktop/electron-program.ts';
import type { BundledPackage } from '../linux/core-bundles.ts';
import { installedPackages, nativePackages } from '../linux/core-tree.ts';
import { write } from '../linux/tree-files.ts';
import { signFolder } from '../manifest/sign-folder.ts';
import type { SigningKeys } from '../manifest/signing-keys.ts';
import { fetchLockedPackage } from '../runtime/locked-package.ts';
import type { Processor } from '../runtime/processors.ts';
import { archiveHashes } from './archive-hashes.ts';
import { windowsIcon } from './icon-file.ts';
import { describeProgram } from './program-details.ts';

/** The app's program, which shortcuts and links start; resources/windows/installer.nsi knows it, too. */
const windowProgram: InstalledProgram = { name: 'Waymaker.exe', platform: 'win32' };

export interface WindowOptions {
  processor: Processor;
  /** Electron's files for Windows and that processor. */
  electron: ElectronFiles;
  /** Where bundles go, and what is fetched. */
  folder: string;
  keys: SigningKeys;
  version: string;
  updatesUrl?: string | undefined;
}

/**
 * Lays the folder `window` of an installation on Windows: Electron with the app out of the current build, signed as a
 * whole. Resolves with the packages in its bundle.
 */
export async function layWindow(target: string, options: WindowOptions): Promise<BundledPackage[]> {
  const { processor, electron, folder, keys, version, updatesUrl } = options;
  const scratch = await mkdtemp(path.join(folder, 'window-'));
  try {
    const main = await bundleMain(path.join(scratch, 'bundles'), keys.publicKeys, updatesUrl);
    const native = await fetchLockedPackage(
      `@koromix/koffi-win32-${processor}`,
      path.join(folder, '.fetched'),
    );
    const packages = nativePackages(
      processor,
      (name) => (name.startsWith('@koromix/') ? native : installedPackages(name)),
      'win32',
    );
    const app = path.join(scratch, 'app');
    await layApp(app, { main: main.file, version, packages });
    await layProgram(target, { electron, app, version });
    await signFolder({ folder: target, product: windowProduct, version, privateKeys: keys.privateKeys });
    return [...main.packages, ...(await packagesOfPages())];
  } finally {
    await rm(scratch, { recursive: true });
  }
}

/**
 * Lays Electron into `target` as the app's program, with our icon and name, and with the hash of its archive of `app`.
 */
export async function layProgram(
  target: string,
  { electron, app, version }: { electron: ElectronFiles; app: string; version: string },
): Promise<void> {
  await layElectron(target, electron, app, windowProgram);
  const { name } = windowProgram;
  const icon = await windowsIcon();
  const archives = archiveHashes(target);
  await describeProgram(path.join(target, name), { program: name, version, icon, archives });
  await write(path.join(target, 'Waymaker.ico'), icon);
}
