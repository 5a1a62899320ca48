import { rename, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { checkFile, checkFolder, findReplaced, type FolderProblem } from '#node/manifest/check-folder.ts';
import { coreProduct, coreRuntime, describeProblem, windowProduct } from '#node/manifest/core-product.ts';
import { compareVersions, manifestFile, readManifest, type Manifest } from '#node/manifest/manifest.ts';
import { releaseKeys } from '#node/manifest/release-keys.ts';
import { hasErrorCode } from '#node/os/error-code.ts';
import { exitCodes } from './exit-codes.ts';
import { createLog, type Log } from './log.ts';

/** This helper's files are not those that were signed, or older ones than it has run with before. */
export class InstallationRefused extends Error {
  override name = 'InstallationRefused';
  /** What the helper ends with. */
  readonly exitCode: number;

  constructor(problem: FolderProblem, exitCode: number = exitCodes.refused) {
    super(describeProblem(problem));
    this.exitCode = exitCode;
  }
}

/** The runtime's binary has a hundred megabytes: hashing it would make every start of the computer wait. */
const runtime = coreRuntime();

/** The file with the highest version that has run. Root removes it to go back to an older one. */
const floorFile = 'version-floor';

/** How long one of our programs may take to load its files, in milliseconds. */
const loadingMs = 2_000;

/** The files that this helper runs from, once they were found to be those that were signed. */
export interface CheckedInstallation {
  /** The runtime, too, which takes longer. Rejects with `InstallationRefused`. */
  checkRuntime(): Promise<void>;
  /**
   * Is called before one of our other programs is started. Throws `InstallationRefused` if a file is not the one any
   * more that was checked, because somebody changed it, or an upgrade is in progress: programs of two versions do not
   * understand each other. `onReplaced` is told, also if that happens while the program loads its files.
   */
  expectUnchanged(onReplaced: (refusal: InstallationRefused) => void): void;
}

const unpackaged: CheckedInstallation = {
  checkRuntime: () => Promise.resolve(),
  expectUnchanged: () => undefined,
};

/**
 * Compares the files that this helper runs from with what was signed, where it is part of a package. Rejects with
 * `InstallationRefused`.
 */
export async function checkInstallation(options: {
  stateDirectory: string;
  log: Log;
}): Promise<CheckedInstallation> {
  const trusted = releaseKeys();
  if (!trusted) return unpackaged;
  const { stateDirectory, log } = options;
  // Beside the helper's own folder are the other programs.
  const folder = path.resolve(import.meta.dirname, '..');
  const floor = await readFloor(path.join(stateDirectory, floorFile), log);
  const later = new Set([runtime]);
  const checked = await checkFolder({ folder, product: coreProduct, trusted, floor, later });
  if (!checked.ok) throw new InstallationRefused(checked.problem);
  const { manifest, seen } = checked;
  if (floor === undefined || compareVersions(manifest.version, floor) > 0)
    await writeFloor(path.join(stateDirectory, floorFile), manifest.version, log);
  return {
    checkRuntime: () => checkRuntime(folder, manifest),
    expectUnchanged(onReplaced) {
      const look = (isStrict: boolean): InstallationRefused | undefined => {
        const problem = findReplaced(folder, manifest, seen, { isStrict });
        const refusal = problem && new InstallationRefused(problem, exitCodes.replaced);
        if (refusal) onReplaced(refusal);
        return refusal;
      };
      const refusal = look(false);
      if (refusal) throw refusal;
      setTimeout(() => look(true), loadingMs).unref();
    },
  };
}

/**
 * Checks all files beside this program before they replace those that are installed. Rejects with
 * `InstallationRefused`, also if the helper would refuse this version with this state.
 */
export async function checkOwnFolder(stateDirectory: string): Promise<void> {
  const trusted = releaseKeys();
  if (!trusted) throw new Error('this program is no part of a package');
  const floor = await readFloor(path.join(stateDirectory, floorFile), createLog());
  const folder = path.resolve(import.meta.dirname, '..');
  const checked = await checkFolder({ folder, product: coreProduct, trusted, floor });
  if (!checked.ok) throw new InstallationRefused(checked.problem);
}

/** The same of the window that is installed with this program, which has to be of the same version. */
export async function checkWindow(folder: string): Promise<void> {
  const trusted = releaseKeys();
  if (!trusted) throw new Error('this program is no part of a package');
  const checked = await checkFolder({ folder, product: windowProduct, trusted });
  if (!checked.ok) throw new InstallationRefused(checked.problem);
  const own = readManifest(await readFile(path.resolve(import.meta.dirname, '..', manifestFile), 'utf8'));
  if (own?.version !== checked.manifest.version)
    throw new Error(`the window is ${checked.manifest.version}, and the helper is ${own?.version}`);
}

/** Lets the version of this program's folder run, if only newer ones could so far. */
export async function lowerFloor(stateDirectory: string): Promise<void> {
  const file = path.join(stateDirectory, floorFile);
  const folder = path.resolve(import.meta.dirname, '..');
  const manifest = readManifest(await readFile(path.join(folder, manifestFile), 'utf8'));
  const floor = await readFloor(file, createLog());
  if (manifest && floor !== undefined && compareVersions(manifest.version, floor) < 0)
    await writeFloor(file, manifest.version, createLog());
}

async function checkRuntime(folder: string, manifest: Manifest): Promise<void> {
  const file = manifest.files.find(({ path: one }) => one === runtime);
  const problem: FolderProblem | undefined = file
    ? await checkFile(folder, file)
    : { kind: 'missing', path: runtime };
  if (problem) throw new InstallationRefused(problem);
}

/** The oldest version that may run with this state; undefined if any may. */
async function readFloor(file: string, log: Log): Promise<string | undefined> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    const isAbsent = hasErrorCode(error, 'ENOENT');
    if (!isAbsent) log.error('the oldest version that may run is not known', error);
    return '';
  });
  const version = /^\d{1,6}\.\d{1,6}\.\d{1,6}$/.exec(text.trim())?.[0];
  if (text !== '' && version === undefined)
    log.warn('the file with the oldest version is unreadable', { file });
  return version;
}

/** On a full disk, the one before stays. */
async function writeFloor(file: string, version: string, log: Log): Promise<void> {
  try {
    await writeFile(`${file}.new`, `${version}\n`, { mode: 0o600 });
    await rename(`${file}.new`, file);
  } catch (error) {
    log.error('the version that runs could not be remembered', error);
  }
}
