import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { bundleProgram } from '../../scripts/bundle-program.ts';

/** Packages that cannot be part of a bundle: `nativePackages` lays them beside it. */
export const notBundled = ['koffi', 'keytar'];

/**
 * Bundles the programs of `waymaker-core` into `folder`; they are the same for every processor, and trust packages that
 * one of the public keys has signed.
 */
export async function bundleCore(
  folder: string,
  publicKeys: readonly string[],
): Promise<{ helper: string; proxy: string; commandLine: string }> {
  const bundles = {
    helper: path.join(folder, 'helper.mjs'),
    proxy: path.join(folder, 'proxy.mjs'),
    commandLine: path.join(folder, 'cli.js'),
  };
  const define = { releaseKeysOfThisBuild: JSON.stringify(publicKeys.join(' ')) };
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  for (const [entry, file] of [
    ['helper/index.ts', bundles.helper],
    ['helper/posix/start-proxy.ts', bundles.proxy],
    ['src/main/cli/index.ts', bundles.commandLine],
  ] as const)
    await bundleProgram({ entry, file, external: notBundled, define });
  return bundles;
}
