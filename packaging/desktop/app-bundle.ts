import { mkdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { bundleProgram } from '../../scripts/bundle-program.ts';
import { notBundled, type BundledPackage } from '../linux/core-bundles.ts';

const root = path.resolve(import.meta.dirname, '../..');

/** The build, which has to be current: scripts/build-stamp.ts. */
export const built = {
  main: path.join(root, 'out/main/index.js'),
  scriptThread: path.join(root, 'out/main/script-thread.js'),
  preload: path.join(root, 'out/preload/index.cjs'),
  renderer: path.join(root, 'out/renderer'),
} as const;

const packageList = 'packages.json';
const listed = z.array(
  z.object({ name: z.string(), version: z.string(), identifier: z.optional(z.string()) }),
);

export interface Bundle {
  file: string;
  /** The npm packages that are in it. */
  packages: BundledPackage[];
}

/** Bundles a Node program with all packages that it imports, except those that are laid beside it. */
export async function bundle(options: {
  entry: string;
  file: string;
  external: readonly string[];
  define?: Record<string, string>;
}): Promise<Bundle> {
  const { entry, file, external, define = {} } = options;
  const folder = path.dirname(file);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await bundleProgram({
    entry: path.relative(root, entry),
    file,
    external: [...external],
    packageList,
    define,
  });
  return { file, packages: listed.parse(JSON.parse(await readFile(path.join(folder, packageList), 'utf8'))) };
}

/**
 * The built main process in one file, which trusts a core that one of the public keys has signed, and its thread.
 * `updatesUrl`: where it looks for updates, for systems whose packages have none of their own.
 */
export async function bundleMain(
  folder: string,
  publicKeys: readonly string[],
  updatesUrl = '',
): Promise<Bundle> {
  const main = await bundle({
    entry: built.main,
    file: path.join(folder, 'main/index.js'),
    external: [...notBundled, 'electron'],
    define: {
      releaseKeysOfThisBuild: JSON.stringify(publicKeys.join(' ')),
      updatesUrlOfThisBuild: JSON.stringify(updatesUrl),
      updatesNameOfThisBuild: JSON.stringify('waymaker'),
    },
  });
  await bundleProgram({
    entry: path.relative(root, built.scriptThread),
    file: scriptThreadBeside(main.file),
    external: notBundled,
  });
  return main;
}

/** The program of main's thread, which it looks for beside itself. */
export const scriptThreadBeside = (main: string): string => path.join(path.dirname(main), 'script-thread.js');
