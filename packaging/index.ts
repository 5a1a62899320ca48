import { existsSync } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { buildIfStale } from '../scripts/build-stamp.ts';
import { downloadedElectron } from '../scripts/start/electron-download.ts';
import { electronBinary } from '../tests/e2e/support/host/electron-binary.ts';
import { commitTime } from './commit-time.ts';
import { makeDesktop } from './desktop/desktop-package.ts';
import type { ElectronFiles } from './desktop/electron-program.ts';
import {
  installers,
  noElectron,
  onlyConfigured,
  type InstallerPlatform,
} from './desktop/installer-configuration.ts';
import { feedProduct } from '../src/node/manifest/update-feed.ts';
import { makeCore, type Format } from './linux/core-package.ts';
import { product } from './linux/package-facts.ts';
import { signingKeys, type SigningKeys } from './manifest/signing-keys.ts';
import { writeHashes } from './release-hashes.ts';
import { publishRepositories } from './repository/publish-repositories.ts';
import { processors, type Processor } from './runtime/processors.ts';
import { updatesAddress } from './updates/updates-address.ts';
import { writeFeed } from './updates/write-feed.ts';
import { installerName, makeWindowsInstaller, whyNoRuntime } from './windows/installer.ts';

/** `npm run package -- [TARGET…]`: makes the packages, and says of each whether it was made. */

const folder = path.resolve(import.meta.dirname, '../out/packages');
const nodeModules = path.resolve(import.meta.dirname, '../node_modules');
const usage = [
  'usage: npm run package -- [core|desktop|windows|installers …] [--processor x64|arm64] [--format deb|rpm] [--fast]',
  '                          [--electron FOLDER]',
  '       npm run package -- repository --url https://… [--folder FOLDER]',
  '       npm run package -- feed --processor x64|arm64 [--percent NUMBER] [--folder FOLDER] [--core]',
  '                          [--system darwin|linux --installer FILE]',
].join('\n');

/** What came of a target: files, and for what is only configured here, why. */
export interface Outcome {
  made: string[];
  onlyConfigured?: Record<string, string>;
}

export interface PackagingContext {
  folder: string;
  time: number;
  processors: readonly Processor[];
  formats: readonly Format[];
  isFast: boolean;
  keys: SigningKeys;
  /** How many of a hundred computers get an update so far; all, if absent. */
  percentage: number | undefined;
  /** Electron’s files for Windows, which go into the installer; without them, it has no window. */
  electronForWindows: ElectronFiles | undefined;
  /** What a feed offers: on Windows, the installer with the window or without; elsewhere a file. */
  offered: { system: 'win32' | 'darwin' | 'linux'; isCore: boolean; file: string | undefined };
  /** Where a repository is or will be, and the address that it has there. */
  repository: { folder: string; url: string | undefined };
  progress: (line: string) => void;
}

const targets: Record<string, (context: PackagingContext) => Promise<Outcome>> = {
  async core(context) {
    const made: string[] = [];
    for (const processor of context.processors)
      made.push(
        ...(await makeCore({ ...context, processor, compression: context.isFast ? 'fast' : 'small' })),
      );
    return { made };
  },
  /**
   * In Electron where its binary can be had, which is one for this machine; elsewhere the window for tests, which no
   * release has.
   */
  async desktop(context) {
    const electron = await electronFiles();
    const unmade: Record<string, string> = electron ? {} : { waymaker: noElectron };
    if (electron === undefined && !context.keys.isTest) return { made: [], onlyConfigured: unmade };
    await buildIfStale();
    const made: string[] = [];
    for (const processor of context.processors) {
      if (electron && processor !== process.arch)
        unmade[`waymaker for ${processor}`] = `Electron’s binary here is for ${process.arch}`;
      else
        made.push(
          ...(await makeDesktop({
            ...context,
            processor,
            electron,
            compression: context.isFast ? 'fast' : 'small',
          })),
        );
    }
    return { made, onlyConfigured: unmade };
  },
  /** Helper, command line and perhaps window for Windows; makensis makes it on any system. */
  async windows(context) {
    const made: string[] = [];
    const { electronForWindows: electron } = context;
    const unmade: Record<string, string> = electron
      ? {}
      : { 'the window for Windows': 'no --electron names a folder with Electron’s files for Windows' };
    if (electron) await buildIfStale();
    for (const processor of context.processors) {
      const why = await whyNoRuntime(processor);
      if (why !== undefined) unmade[`waymaker-core for Windows on ${processor}`] = why;
      else
        made.push(
          ...(await makeWindowsInstaller({
            ...context,
            processor,
            electron,
            updatesUrl: updatesAddress(process.env['WAYMAKER_UPDATES_URL']),
            compression: context.isFast ? 'fast' : 'small',
          })),
        );
    }
    return { made, onlyConfigured: unmade };
  },
  async installers(context) {
    const electron = await electronFiles();
    const unmade = onlyConfigured(process.platform, electron);
    if (electron === undefined || !(process.platform in installers))
      return { made: [], onlyConfigured: unmade };
    await buildIfStale();
    const platform = process.platform as InstallerPlatform;
    const { makeInstallers } = await import('./desktop/installers.ts');
    return { made: await makeInstallers({ ...context, platform, electron }), onlyConfigured: unmade };
  },
};

/** Fetched if it is not here; undefined if that fails. */
async function electronFiles(): Promise<ElectronFiles | undefined> {
  const binary = await downloadedElectron({
    installer: path.join(nodeModules, 'electron/install.js'),
    failureFile: path.join(nodeModules, '.waymaker-electron-failed'),
    binary: electronBinary,
    stop: new AbortController().signal,
    otherwise: 'so there is no desktop app',
  });
  if (binary === undefined) return undefined;
  // On macOS, the program is deep in a bundle.
  const files = path.resolve(binary, process.platform === 'darwin' ? '../../../..' : '..');
  return { folder: files, program: path.relative(files, binary) };
}

/** What is only done when it is asked for. */
const furtherTargets: typeof targets = {
  async repository({ folder: packages, repository, progress }) {
    const { url } = repository;
    if (url === undefined) throw new Error('--url is missing: the address that the repository will have');
    const keyFile = process.env['WAYMAKER_REPOSITORY_KEY'];
    const given = { packages, folder: repository.folder, url, keyFile };
    await publishRepositories({ ...given, now: new Date(), say: progress });
    const names = ['apt/waymaker.sources', 'rpm/waymaker.repo'];
    const files = names.map((name) => path.join(repository.folder, name));
    return { made: files.filter((file) => existsSync(file)) };
  },
  /** The feed by which installed programs find the installer of a newer version. */
  async feed({ folder: packages, repository, processors: wanted, keys, percentage, offered }) {
    const [processor, ...others] = wanted;
    if (processor === undefined || others.length > 0)
      throw new Error('--processor is missing: each one has a folder of its own');
    if (keys.isTest) throw new Error('WAYMAKER_SIGNING_KEY is missing: nobody would take a feed without it');
    const { system, isCore } = offered;
    const ours =
      system === 'win32'
        ? path.join(packages, installerName(product.version, processor, { ...keys, hasWindow: !isCore }))
        : undefined;
    const installer = offered.file ?? ours;
    if (installer === undefined) throw new Error('--installer is missing: the package for that system');
    const made = await writeFeed({
      installer,
      product: feedProduct(system, processor, isCore ? 'waymaker-core' : 'waymaker'),
      version: product.version,
      now: new Date(),
      percentage,
      folder: repository.folder,
      privateKeys: keys.privateKeys,
    });
    return { made: [made] };
  },
};

const allTargets = { ...targets, ...furtherTargets };

const allProcessors = Object.keys(processors) as Processor[];
const allFormats: Format[] = ['deb', 'rpm'];

function readWords() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      processor: { type: 'string', multiple: true, default: allProcessors },
      format: { type: 'string', multiple: true, default: allFormats },
      fast: { type: 'boolean', default: false },
      url: { type: 'string' },
      percent: { type: 'string' },
      electron: { type: 'string' },
      core: { type: 'boolean', default: false },
      system: { type: 'string', default: 'win32' },
      installer: { type: 'string' },
      folder: { type: 'string', default: path.join(folder, '../repository') },
    },
  });
  return {
    names: z
      .array(z.enum(Object.keys(allTargets)))
      .parse(positionals.length > 0 ? positionals : Object.keys(targets)),
    processors: z.array(z.enum(allProcessors)).parse(values.processor),
    formats: z.array(z.enum(allFormats)).parse(values.format),
    isFast: values.fast,
    offered: {
      system: z.enum(['win32', 'darwin', 'linux']).parse(values.system),
      isCore: values.core,
      file: values.installer,
    },
    electronForWindows:
      values.electron === undefined
        ? undefined
        : { folder: path.resolve(values.electron), program: 'electron.exe' },
    percentage: z.optional(z.coerce.number().min(0).max(100)).parse(values.percent),
    repository: { folder: path.resolve(values.folder), url: values.url },
  };
}

let words;
try {
  words = readWords();
} catch {
  console.error(usage);
  process.exit(2);
}
const { names, ...chosen } = words;
await mkdir(folder, { recursive: true });
const started = performance.now();
const progress = (line: string) =>
  console.log(`[${((performance.now() - started) / 1000).toFixed(1).padStart(6)} s] ${line} …`);
const keys = await signingKeys(process.env);
if (keys.isTest)
  progress('signing with the key of tests: set WAYMAKER_SIGNING_KEY to the file of a real one');
const context = { ...chosen, folder, time: await commitTime(process.env), keys, progress };
const said: string[] = [];
for (const name of names) {
  const { made, onlyConfigured: unmade = {} } = await allTargets[name]!(context);
  for (const file of made) said.push(`made: ${file} (${((await stat(file)).size / 1e6).toFixed(1)} MB)`);
  for (const [what, why] of Object.entries(unmade)) said.push(`only configured: ${what}: ${why}`);
}
if (names.some((name) => name in targets)) {
  const privateKey = keys.isTest ? undefined : keys.privateKeys[0];
  const hashes = await writeHashes(folder, privateKey);
  for (const file of hashes) said.push(`made: ${file}`);
  if (keys.isTest && hashes.length > 0)
    said.push('SHA256SUMS is not signed: WAYMAKER_SIGNING_KEY names no file, see docs/release.md');
}
console.log(said.join('\n'));
