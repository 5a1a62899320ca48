import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { coreProduct } from '../../src/node/manifest/core-product.ts';
import { signFolder } from '../manifest/sign-folder.ts';
import { fetchLockedPackage, lockedPackage } from '../runtime/locked-package.ts';
import { processors, type Processor } from '../runtime/processors.ts';
import { billOfMaterials, type Material } from './bill-of-materials.ts';
import { bundleCore, type CoreBundles } from './core-bundles.ts';
import { coreFacts } from './core-facts.ts';
import {
  compressed,
  installed,
  installedPackages,
  layCorePrograms,
  layCoreTexts,
  nativePackages,
  type CorePrograms,
} from './core-tree.ts';
import { makeDeb } from './deb.ts';
import type { MakeOptions } from './make-options.ts';
import { marked, product } from './package-facts.ts';
import { makeRpm } from './rpm.ts';
import { hashOf } from './tree-files.ts';

const root = path.resolve(import.meta.dirname, '../..');

export type Format = 'deb' | 'rpm';

/** What deb and rpm packages are made from. */
export interface LinuxPackageOptions extends MakeOptions {
  formats: readonly Format[];
}

/** Makes the packages of `waymaker-core` for one processor, and resolves with their paths. */
export async function makeCore(options: LinuxPackageOptions): Promise<string[]> {
  const { processor, formats, folder, time, compression, keys, progress } = options;
  const { version = product.version } = options;
  const facts = marked({ ...coreFacts, version }, keys);
  const kept = path.join(folder, '.fetched');
  progress(`the runtime for ${processor}`);
  const runtime = await fetchLockedPackage(`node-linux-${processor}`, kept);
  const native = await fetchLockedPackage(`@koromix/koffi-linux-${processor}`, kept);
  progress('the bundles');
  const bundles = await bundleCore(path.join(folder, '.bundles'), keys.publicKeys, version);
  const programs: CorePrograms = {
    ...bundles,
    node: path.join(runtime, 'bin/node'),
    packages: nativePackages(processor, (name) =>
      name.startsWith('@koromix/') ? native : installedPackages(name),
    ),
  };
  const materials = await materialsOf(bundles, processor);
  const documents = await documentsOf(runtime);
  const completions = await completionsOf(bundles.commandLine, programs);
  const made: string[] = [];
  for (const format of formats) {
    const tree = await mkdtemp(path.join(folder, 'tree-'));
    try {
      await layCorePrograms(tree, programs);
      await signFolder({
        folder: path.join(tree, installed.folder),
        product: coreProduct,
        version,
        privateKeys: keys.privateKeys,
      });
      const zshFolder = format === 'deb' ? 'vendor-completions' : 'site-functions';
      await layCoreTexts(tree, { completions, zshFolder, documents });
      progress(`${coreFacts.name} for ${processor} as ${format}`);
      const architecture = processors[processor][format === 'deb' ? 'debian' : 'rpm'];
      const make = format === 'deb' ? makeDeb : makeRpm;
      const file = await make({ tree, facts, architecture, folder, time, compression });
      const sha256 = await hashOf(file, 'sha256');
      const bill = `${file}.cdx.json`;
      await writeFile(bill, await billOfMaterials({ name: coreFacts.name, sha256, materials }));
      made.push(file, bill);
    } finally {
      await rm(tree, { recursive: true });
    }
  }
  return made;
}

/** All npm packages in the package: in bundles, beside them, and the runtime. */
async function materialsOf({ packages }: CoreBundles, processor: Processor): Promise<Material[]> {
  const beside = nativePackages(processor, (name) => name).map(({ name }) => name);
  const locked = [`node-linux-${processor}`, ...beside].map(async (name) => {
    const { name: original = name, version, license } = await lockedPackage(name);
    return { name: original, version, licence: license };
  });
  const bundled = packages.map(({ name, version, identifier }) => ({ name, version, licence: identifier }));
  return [...(await Promise.all(locked)), ...bundled];
}

/** The licences of all parts, and what has changed. */
async function documentsOf(runtime: string): Promise<Record<string, string | Buffer>> {
  const read = (file: string) => readFile(path.resolve(root, file), 'utf8');
  const licence = await read('LICENSE');
  const notice = [
    'Waymaker’s own licence:',
    licence.trim(),
    'The packages in it are under the licences in THIRD-PARTY-NOTICES.gz beside this file; its runtime, the official',
    'binary of Node.js, with its own parts, under those in LICENSE.node.gz.',
  ];
  return {
    copyright: `${notice.slice(0, 2).join('\n\n')}\n\n${notice.slice(2).join('\n')}\n`,
    'THIRD-PARTY-NOTICES.gz': compressed(await read('THIRD-PARTY-NOTICES')),
    'LICENSE.node.gz': compressed(await read(path.join(runtime, 'LICENSE'))),
    'changelog.gz': compressed(await read('CHANGELOG.md')),
  };
}

/** What the packaged command line itself prints; this machine's own runtime runs it. */
async function completionsOf(
  commandLine: string,
  programs: CorePrograms,
): Promise<Record<'bash' | 'zsh' | 'fish', string>> {
  const tree = await mkdtemp(path.join(path.dirname(commandLine), 'run-'));
  try {
    const own = { ...programs, packages: nativePackages(process.arch as Processor, installedPackages) };
    await layCorePrograms(tree, own);
    await mkdir(path.join(tree, 'home'));
    const print = async (shell: string) => {
      const script = path.join(tree, 'usr/lib/waymaker/app/cli.js');
      const { stdout } = await promisify(execFile)(process.execPath, [script, 'completion', shell], {
        env: { PATH: process.env['PATH'], HOME: path.join(tree, 'home'), LC_ALL: 'C.UTF-8' },
      });
      return stdout;
    };
    return { bash: await print('bash'), zsh: await print('zsh'), fish: await print('fish') };
  } finally {
    await rm(tree, { recursive: true });
  }
}
