import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { desktopFolder } from '../../src/node/manifest/core-product.ts';
import { packagesOfPages } from '../../scripts/third-party-notices/notices.ts';
import { billOfMaterials, type Material } from '../linux/bill-of-materials.ts';
import type { LinuxPackageOptions } from '../linux/core-package.ts';
import { installedPackages, nativePackages } from '../linux/core-tree.ts';
import { makeDeb } from '../linux/deb.ts';
import { marked, product } from '../linux/package-facts.ts';
import { makeRpm } from '../linux/rpm.ts';
import { hashOf } from '../linux/tree-files.ts';
import { fetchLockedPackage, lockedPackage } from '../runtime/locked-package.ts';
import { processors } from '../runtime/processors.ts';
import { bundleMain } from './app-bundle.ts';
import { layApp } from './app-folder.ts';
import { appFacts, testWindowFacts } from './desktop-facts.ts';
import { layShare } from './desktop-share.ts';
import { layElectron, linuxProgram, type ElectronFiles } from './electron-program.ts';
import { bundleStandIn, layTestWindow } from './test-window.ts';

export interface DesktopOptions extends LinuxPackageOptions {
  /** For this processor; without it, the package is the one with the window for tests. */
  electron: ElectronFiles | undefined;
}

/** Makes the packages of the desktop app for one processor out of the current build, and resolves with their paths. */
export async function makeDesktop(options: DesktopOptions): Promise<string[]> {
  const { processor, formats, folder, time, compression, keys, electron, progress } = options;
  const { version = product.version } = options;
  const facts = marked(electron ? appFacts(version) : testWindowFacts(version), keys);
  const native = await fetchLockedPackage(`@koromix/koffi-linux-${processor}`, path.join(folder, '.fetched'));
  const scratch = await mkdtemp(path.join(folder, 'desktop-'));
  try {
    progress('the bundles of the app');
    const main = await bundleMain(path.join(scratch, 'bundles'), keys.publicKeys);
    const standIn = electron ? [] : await bundleStandIn(path.join(scratch, 'stand-in'));
    const packages = nativePackages(processor, (name) =>
      name.startsWith('@koromix/') ? native : installedPackages(name),
    );
    const app = path.join(scratch, 'app');
    await layApp(app, { main: main.file, version, packages });
    const materials = await materialsOf(
      [...main.packages, ...standIn.flatMap((one) => one.packages), ...(await packagesOfPages())],
      [...packages.map(({ name }) => name), electron ? 'electron' : 'playwright-core'],
    );
    const made: string[] = [];
    for (const format of formats) {
      const tree = path.join(scratch, format);
      const own = path.join(tree, desktopFolder);
      if (electron) await layElectron(own, electron, app, linuxProgram);
      else await layTestWindow(own, standIn, app);
      const licences = electron ? ofElectron : ofTestWindow;
      await layShare(tree, { name: facts.name, version, time, licences });
      progress(`${facts.name} for ${processor} as ${format}`);
      const architecture = processors[processor][format === 'deb' ? 'debian' : 'rpm'];
      const make = format === 'deb' ? makeDeb : makeRpm;
      const file = await make({ tree, facts, architecture, folder, time, compression });
      const bill = `${file}.cdx.json`;
      const sha256 = await hashOf(file, 'sha256');
      await writeFile(bill, await billOfMaterials({ name: facts.name, sha256, materials }));
      made.push(file, bill);
    }
    return made;
  } finally {
    await rm(scratch, { recursive: true });
  }
}

const parts = 'The packages in it are under the licences in THIRD-PARTY-NOTICES.gz beside this file';
const ofElectron = `${parts}; Electron and Chromium\nunder those in ${desktopFolder}/LICENSE and LICENSES.chromium.html.`;
const ofTestWindow = `${parts}; playwright-core\nunder that in ${desktopFolder}/stand-in/node_modules/playwright-core/LICENSE.`;

interface Packaged {
  name: string;
  version: string;
  identifier?: string | undefined;
}

/** All npm packages, each once: in bundles and pages, and beside them. */
async function materialsOf(bundled: readonly Packaged[], beside: readonly string[]): Promise<Material[]> {
  const locked = beside.map(async (name) => {
    const { name: original = name, version, license } = await lockedPackage(name);
    return { name: original, version, licence: license };
  });
  const others = bundled.map(({ name, version, identifier }) => ({ name, version, licence: identifier }));
  const all = [...others, ...(await Promise.all(locked))];
  return [...new Map(all.map((one) => [`${one.name} ${one.version}`, one])).values()];
}
