import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Processor } from '../runtime/processors.ts';
import { lay, write } from './tree-files.ts';

const resources = path.resolve(import.meta.dirname, '../../resources/linux');

/** Where `waymaker-core` is installed, and what others need to know in it. */
export const installed = {
  folder: '/usr/lib/waymaker',
  node: '/usr/lib/waymaker/node',
  helper: '/usr/lib/waymaker/helper/helper.mjs',
  commandLine: '/usr/lib/waymaker/app/cli.js',
  helperUnit: '/usr/lib/systemd/system/waymaker-helper.service',
} as const;

/** What the folder of programs is made of; all are paths of files or folders. */
export interface CorePrograms {
  /** The runtime. */
  node: string;
  /** Bundles. */
  helper: string;
  proxy: string;
  engine: string;
  commandLine: string;
  /** The command line's thread for others' scripts. */
  scriptThread: string;
  /** Packages with native parts, which bundles find beside them. */
  packages: readonly NativePackage[];
}

export interface NativePackage {
  /** Under which the bundles import it. */
  name: string;
  /** Its folder. */
  folder: string;
  /** What of it runs, and its licence: patterns relative to its folder. */
  files: readonly string[];
}

/** Of a package's name, its folder. */
export type PackageFolders = (name: string) => string;

const nodeModules = path.resolve(import.meta.dirname, '../../node_modules');
export const installedPackages: PackageFolders = (name) => path.join(nodeModules, name);

/** The packages with native parts, for one processor: no sources, and nothing for other systems. */
export const nativePackages = (
  processor: Processor,
  folderOf: PackageFolders,
  platform: NodeJS.Platform = 'linux',
): NativePackage[] =>
  Object.entries({
    koffi: ['package.json', 'LICENSE.txt', '{index,indirect}.{js,cjs}', 'src/koffi/**/*.{js,cjs}'],
    [`@koromix/koffi-${platform}-${processor}`]: [
      'package.json',
      'index.js',
      `${platform}_${processor}/koffi.node`,
    ],
    keytar: ['package.json', 'LICENSE.md', 'lib/keytar.js', `prebuilds/${platform}-${processor}/keytar.node`],
    'quickjs-wasi': ['package.json', 'LICENSE', 'dist/*.js', 'quickjs.wasm'],
  }).map(([name, files]) => ({ name, folder: folderOf(name), files }));

/** Lays packages into a folder in which bundles find them. */
export async function layPackages(target: string, packages: readonly NativePackage[]): Promise<void> {
  for (const { name, folder, files } of packages) {
    for (const pattern of files) {
      const found = globSync(pattern, { cwd: folder });
      if (found.length === 0) throw new Error(`${name} has no ${pattern}`);
      for (const file of found) await lay(path.join(folder, file), path.join(target, name, file));
    }
  }
}

/** Lays the programs, the units and the accounts into `tree`, at the places that a package installs them to. */
export async function layCorePrograms(tree: string, programs: CorePrograms): Promise<void> {
  const own = path.join(tree, installed.folder);
  await lay(programs.node, path.join(tree, installed.node), 0o755);
  await lay(programs.helper, path.join(tree, installed.helper));
  await lay(programs.proxy, path.join(own, 'helper/proxy.mjs'));
  await lay(programs.engine, path.join(own, 'helper/engine.mjs'));
  await lay(programs.commandLine, path.join(tree, installed.commandLine));
  await lay(programs.scriptThread, path.join(own, 'app/script-thread.js'));
  // Node takes a file named .js for what the nearest package.json says.
  await write(path.join(own, 'app/package.json'), '{ "type": "module" }\n');
  await layPackages(path.join(own, 'node_modules'), programs.packages);
  await lay(path.join(resources, 'waymaker'), path.join(tree, 'usr/bin/waymaker'), 0o755);
  await lay(path.join(resources, 'waymaker-helper.service'), path.join(tree, installed.helperUnit));
  await lay(
    path.join(resources, 'waymaker.service'),
    path.join(tree, 'usr/lib/systemd/user/waymaker.service'),
  );
  await lay(
    path.join(resources, 'waymaker.network'),
    path.join(tree, 'usr/lib/systemd/network/00-waymaker.network'),
  );
  await lay(
    path.join(resources, 'waymaker.sysusers.conf'),
    path.join(tree, 'usr/lib/sysusers.d/waymaker.conf'),
  );
}

/** The texts beside the programs; `completions` are the scripts, by shell, and `documents` files, by name. */
export async function layCoreTexts(
  tree: string,
  texts: {
    completions: Readonly<Record<'bash' | 'zsh' | 'fish', string>>;
    /** Where this system's zsh looks, relative to /usr/share/zsh. */
    zshFolder: 'vendor-completions' | 'site-functions';
    documents: Readonly<Record<string, string | Buffer>>;
  },
): Promise<void> {
  const share = path.join(tree, 'usr/share');
  const { completions, zshFolder, documents } = texts;
  await write(path.join(share, 'bash-completion/completions/waymaker'), completions.bash);
  await write(path.join(share, 'zsh', zshFolder, '_waymaker'), completions.zsh);
  await write(path.join(share, 'fish/vendor_completions.d/waymaker.fish'), completions.fish);
  const manPage = await readFile(path.join(resources, 'waymaker.1'), 'utf8');
  await write(path.join(share, 'man/man1/waymaker.1.gz'), compressed(manPage));
  for (const [name, text] of Object.entries(documents))
    await write(path.join(share, 'doc/waymaker-core', name), text);
}

/** Compressed so that the same bytes come out at any time: without a name and a time. */
export const compressed = (text: string): Buffer => gzipSync(text, { level: 9 });
