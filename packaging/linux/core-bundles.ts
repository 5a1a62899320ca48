import { mkdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { bundleProgram } from '../../scripts/bundle-program.ts';
import type { FeedName } from '../../src/node/manifest/update-feed.ts';

/** Packages that cannot be part of a bundle: `nativePackages` lays them beside it. */
export const notBundled = ['koffi', 'keytar', 'quickjs-wasi'];

const packageList = 'packages.json';
const listed = z.array(
  z.object({ name: z.string(), version: z.string(), identifier: z.optional(z.string()) }),
);
/** Of an npm package in a bundle; the identifier is that of its licence (https://spdx.org/licenses). */
export type BundledPackage = z.infer<typeof listed>[number];

/** Bundles, and the packages that are in any of them. */
export interface CoreBundles {
  helper: string;
  proxy: string;
  engine: string;
  commandLine: string;
  scriptThread: string;
  packages: BundledPackage[];
}

/** Bundles the programs of `waymaker-core` into `folder`; they are the same for every processor. */
export async function bundleCore(
  folder: string,
  publicKeys: readonly string[],
  version: string,
): Promise<CoreBundles> {
  const bundles = {
    helper: path.join(folder, 'helper.mjs'),
    proxy: path.join(folder, 'proxy.mjs'),
    engine: path.join(folder, 'engine.mjs'),
    commandLine: path.join(folder, 'cli.js'),
    scriptThread: path.join(folder, 'script-thread.js'),
  };
  const packages = await bundlePrograms({
    folder,
    publicKeys,
    version,
    programs: {
      'helper/index.ts': bundles.helper,
      'helper/posix/start-proxy.ts': bundles.proxy,
      'helper/posix/start-engine.ts': bundles.engine,
      'src/main/cli/index.ts': bundles.commandLine,
      'src/main/way-out/script/script-thread.ts': bundles.scriptThread,
    },
  });
  return { ...bundles, packages };
}

/**
 * Bundles programs, given as sources and files, into `folder`. They trust packages that one of the public keys has
 * signed. Resolves with the packages that are in any of them.
 */
export async function bundlePrograms(options: {
  folder: string;
  programs: Readonly<Record<string, string>>;
  publicKeys: readonly string[];
  version: string;
  /** Where there are updates, for systems whose packages have none of their own. */
  updatesUrl?: string | undefined;
  /** The package that they are a part of. */
  updatesName?: FeedName;
}): Promise<BundledPackage[]> {
  const { folder, programs, publicKeys, version, updatesUrl = '', updatesName = 'waymaker-core' } = options;
  const define = {
    releaseKeysOfThisBuild: JSON.stringify(publicKeys.join(' ')),
    updatesUrlOfThisBuild: JSON.stringify(updatesUrl),
    updatesNameOfThisBuild: JSON.stringify(updatesName),
    'import.meta.env.VITE_APP_VERSION': JSON.stringify(version),
  };
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const packages = new Map<string, BundledPackage>();
  for (const [entry, file] of Object.entries(programs)) {
    await bundleProgram({ entry, file, external: notBundled, packageList, define });
    for (const one of listed.parse(JSON.parse(await readFile(path.join(folder, packageList), 'utf8'))))
      packages.set(`${one.name} ${one.version}`, one);
  }
  return [...packages.values()];
}
