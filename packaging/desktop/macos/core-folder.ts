import { readFileSync } from 'node:fs';
import path from 'node:path';
import { coreProduct } from '../../../src/node/manifest/core-product.ts';
import { isMacho } from './code-signature.ts';
import { wrongSignatures } from './check-signed-app.ts';
import { bundleCore } from '../../linux/core-bundles.ts';
import { installedPackages, layPackages, nativePackages, type CorePrograms } from '../../linux/core-tree.ts';
import { entriesOf, lay, write } from '../../linux/tree-files.ts';
import { signFolder } from '../../manifest/sign-folder.ts';
import type { SigningKeys } from '../../manifest/signing-keys.ts';
import { run } from '../../run.ts';
import { fetchLockedPackage, lockedPackage } from '../../runtime/locked-package.ts';
import { macosRuntimes, type Processor } from '../../runtime/processors.ts';

/** The entitlements of the app and its programs on macOS. */
export const entitlements = path.join(import.meta.dirname, 'entitlements.plist');

/** Where it is in the app, from which the installer's script copies it. */
export const coreInApp = 'core';

/** The helper, its other programs and the runtime for one processor; they are not signed yet. */
export async function layMacosCore(folder: string, programs: CorePrograms): Promise<void> {
  await lay(programs.node, path.join(folder, 'node'), 0o755);
  await lay(programs.helper, path.join(folder, 'helper/helper.mjs'));
  await lay(programs.proxy, path.join(folder, 'helper/proxy.mjs'));
  await lay(programs.engine, path.join(folder, 'helper/engine.mjs'));
  await lay(programs.commandLine, path.join(folder, 'app/cli.js'));
  await lay(programs.scriptThread, path.join(folder, 'app/script-thread.js'));
  await write(path.join(folder, 'app/package.json'), '{ "type": "module" }\n');
  await layPackages(path.join(folder, 'node_modules'), programs.packages);
}

/**
 * Signs a folder twice, in this order: Apple's signature is part of a program, so the list of files, with their hashes,
 * can only be made afterwards; and the app, which the folder then goes into, is sealed over both. `codesign` signs one
 * program; undefined: nobody signs for Apple, as in tests. Throws if a program is not signed as it has to be.
 */
export async function signMacosCore(
  folder: string,
  options: { version: string; keys: SigningKeys; codesign: ((program: string) => Promise<void>) | undefined },
): Promise<void> {
  const { version, keys, codesign } = options;
  if (codesign) {
    for (const { file, entry } of await entriesOf(folder)) {
      const program = path.join(folder, file);
      if (entry.isFile() && isMacho(readFileSync(program))) await codesign(program);
    }
    const wrong = wrongSignatures(folder);
    if (wrong.length > 0) throw new Error(`the helper is not signed as it has to be:\n${wrong.join('\n')}`);
  }
  await signFolder({ folder, product: coreProduct, version, privateKeys: keys.privateKeys });
}

/**
 * With Apple's codesign(1): the hardened runtime and a time, without which Apple notarises nothing, and our
 * entitlements in place of those of Node's official binary. `identity`: the name of a certificate in the keychain.
 */
const codesignAs = (identity: string) => async (program: string) => {
  const how = ['--force', '--options', 'runtime', '--timestamp', '--entitlements', entitlements];
  await run('codesign', [...how, '--sign', identity, program]);
};

/** Why no release for this processor can be made of the runtime that is locked; undefined if one can. */
async function oldRuntime(processor: Processor): Promise<string | undefined> {
  const { version: wanted } = await lockedPackage(`node-linux-${processor}`);
  const name = macosRuntimes[processor];
  const { version } = await lockedPackage(name);
  return version === wanted
    ? undefined
    : `${name} is Node ${version}, and that of the other systems ${wanted}`;
}

/** Makes the folder for the app's package, for one processor. `kept`: where what is fetched stays. */
export async function makeMacosCore(options: {
  processor: Processor;
  folder: string;
  scratch: string;
  kept: string;
  version: string;
  keys: SigningKeys;
  identity: string | undefined;
}): Promise<void> {
  const { processor, folder, scratch, kept, version, keys, identity } = options;
  const old = await oldRuntime(processor);
  if (old !== undefined && !keys.isTest) throw new Error(`no release for macOS can be made: ${old}`);
  const runtime = await fetchLockedPackage(macosRuntimes[processor], kept);
  const native = await fetchLockedPackage(`@koromix/koffi-darwin-${processor}`, kept);
  const bundles = await bundleCore(path.join(scratch, 'core-bundles'), keys.publicKeys, version);
  const folderOf = (name: string) => (name.startsWith('@koromix/') ? native : installedPackages(name));
  await layMacosCore(folder, {
    ...bundles,
    node: path.join(runtime, 'bin/node'),
    packages: nativePackages(processor, folderOf, 'darwin'),
  });
  const codesign = identity === undefined ? undefined : codesignAs(identity);
  await signMacosCore(folder, { version, keys, codesign });
}
