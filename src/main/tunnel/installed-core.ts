import { stat } from 'node:fs/promises';
import path from 'node:path';
import { checkFolder, type FolderProblem } from '#node/manifest/check-folder.ts';
import { coreFolder, coreProduct, coreRuntime } from '#node/manifest/core-product.ts';
import { signatureFile } from '#node/manifest/manifest.ts';
import { releaseKeys } from '#node/manifest/release-keys.ts';

/** What the helper checks itself, once it runs: hashing it would make every start wait. */
const later: ReadonlySet<string> = new Set([coreRuntime(process.platform)]);

/** Which signature file nothing was wrong with: of an update there is another one. */
let good: string | undefined;

/** What was found last. A helper that is expected is looked for ten times a second. */
let last: { problem: FolderProblem | undefined; at: number } | undefined;
const repeatMs = 1000;

/**
 * What is wrong with the installed helper and the programs beside it; undefined if nothing is, and where this program
 * is no part of a package. Only root writes there, so what is right is looked at once for each version; with `again`,
 * once a second at most. `isThorough` compares the runtime, too, which takes longer.
 */
export async function installationProblem(
  options: { again?: boolean; isThorough?: boolean } = {},
): Promise<FolderProblem | undefined> {
  const { isThorough = false, again = isThorough } = options;
  const trusted = releaseKeys();
  const folder = coreFolder(process.platform);
  if (!trusted || folder === undefined) return undefined;
  const check = async (): Promise<FolderProblem | undefined> => {
    const checked = await checkFolder({
      folder,
      product: coreProduct,
      trusted,
      ...(isThorough ? {} : { later }),
    });
    return checked.ok ? undefined : checked.problem;
  };
  const status = await stat(path.join(folder, signatureFile)).catch(() => undefined);
  const current = status && `${status.ino} ${status.ctimeMs}`;
  if (!again && current !== undefined && current === good) return undefined;
  if (again && !isThorough && last && performance.now() - last.at < repeatMs) return last.problem;
  const problem = await check();
  last = { problem, at: performance.now() };
  // In the middle of an update, nothing fits.
  if (!problem) good = current;
  return problem;
}
