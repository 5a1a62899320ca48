import { cp, rm } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleProgram } from './bundle-program.ts';

const root = path.resolve(import.meta.dirname, '..');

/** A native module: it cannot be part of a bundle, and is copied beside it with the binary for this platform. */
export const native = ['koffi', `@koromix/koffi-${process.platform}-${process.arch}`];

/**
 * Bundles the helper into one file, `out/helper/helper.mjs`, and copies its only native module to
 * `out/helper/node_modules`; its proxy and its engine, separate programs, become `out/helper/proxy.mjs` and
 * `out/helper/engine.mjs`. The folder can be run from any place; resolves with the helper's path. With public keys, in
 * base64, it runs only in a folder that was signed with one of them.
 */
export async function buildHelper(
  outDirectory = path.join(root, 'out/helper'),
  publicKeys: readonly string[] = [],
): Promise<string> {
  const define: Record<string, string> =
    publicKeys.length === 0 ? {} : { releaseKeysOfThisBuild: JSON.stringify(publicKeys.join(' ')) };
  await rm(outDirectory, { recursive: true, force: true });
  for (const [entry, name] of [
    ['helper/index.ts', 'helper.mjs'],
    ['helper/posix/start-proxy.ts', 'proxy.mjs'],
    ['helper/posix/start-engine.ts', 'engine.mjs'],
  ] as const) {
    await bundleProgram({ entry, file: path.join(outDirectory, name), external: native, define });
  }
  await copyNative(outDirectory);
  return path.join(outDirectory, 'helper.mjs');
}

/** Copies the native module to `node_modules` in the folder of a bundle. */
async function copyNative(outDirectory: string): Promise<void> {
  for (const name of native) {
    const from = path.join(root, 'node_modules', name);
    await cp(from, path.join(outDirectory, 'node_modules', name), {
      recursive: true,
      dereference: true,
      // Leaves out sources and documentation.
      filter: (file) => !['doc', 'vendor', 'lib'].includes(path.relative(from, file)),
    });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildHelper();
