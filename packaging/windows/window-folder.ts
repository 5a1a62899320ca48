import { mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import { packagesOfPages } from '../../scripts/third-party-notices/notices.ts';
import { windowProduct } from '../../src/node/manifest/core-product.ts';
import { bundleMain } from '../desktop/app-bundle.ts';
import { layApp } from '../desktop/app-folder.ts';
import { layElectron, type ElectronFiles } from '../desktop/electron-program.ts';
import type { BundledPackage } from '../linux/core-bundles.ts';
import { installedPackages, nativePackages } from '../linux/core-tree.ts';
import { write } from '../linux/tree-files.ts';
import { signFolder } from '../manifest/sign-folder.ts';
import type { SigningKeys } from '../manifest/signing-keys.ts';
import { fetchLockedPackage } from '../runtime/locked-package.ts';
import type { Processor } from '../runtime/processors.ts';
import { windowsIcon } from './icon-file.ts';
import { describeProgram } from './program-details.ts';

/** The app's program, which shortcuts and links start; resources/windows/installer.nsi knows it, too. */
export const windowProgram = 'Waymaker.exe';

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
 * Lays the folder `window` of an installation on Windows: Electron with the app out of the current build, signed as a whole.
 * Resolves with the packages in its bundle.
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
    await layElectron(target, electron, app, windowProgram);
    const icon = await windowsIcon();
    await describeProgram(path.join(target, windowProgram), { program: windowProgram, version, icon });
    await write(path.join(target, 'Waymaker.ico'), icon);
    await signFolder({ folder: target, product: windowProduct, version, privateKeys: keys.privateKeys });
    return [...main.packages, ...(await packagesOfPages())];
  } finally {
    await rm(scratch, { recursive: true });
  }
}
