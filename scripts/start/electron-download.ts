import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, statSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';

/**
 * After a failed download, starts do not try again for this long: a refused one takes some seconds, a hanging one
 * minutes.
 */
const retryAfterMs = 24 * 3_600_000;
const downloadLimitMs = 300_000;

export interface ElectronDownload {
  /** The script of Electron's package that downloads its binary. */
  installer: string;
  /** A file that exists while the last download has failed. `npm ci` deletes it, because it is in node_modules. */
  failureFile: string;
  /** The binary, or undefined if it is not there. */
  binary: () => string | undefined;
  /** Ends the download. */
  stop: AbortSignal;
  /** What happens without it; by default, what a start does. */
  otherwise?: string;
}

/**
 * The Electron binary, downloaded if necessary: its package has no install script. If that fails, says what it means
 * and resolves with undefined; never rejects.
 */
export async function downloadedElectron(options: ElectronDownload): Promise<string | undefined> {
  const { installer, failureFile, binary, stop } = options;
  const { otherwise = 'so the app runs in Chromium instead' } = options;
  const found = binary();
  if (found !== undefined || failedRecently(failureFile)) return found;
  console.log('Fetching the binary of Electron …');
  const signal = AbortSignal.any([stop, AbortSignal.timeout(downloadLimitMs)]);
  const child = spawn(process.execPath, [installer], { stdio: 'ignore', signal });
  // Also if it was ended or could not be started: what counts is whether the binary is there.
  await once(child, 'close').catch(() => undefined);
  const downloaded = binary();
  if (downloaded !== undefined) await rm(failureFile, { force: true }).catch(() => undefined);
  else if (!stop.aborted) {
    // Another user's package folder: then the next start tries again.
    await writeFile(failureFile, '').catch(() => undefined);
    console.log(
      `Electron could not be downloaded, ${otherwise}. Starts try again after a day; to try now:\n` +
        '                node node_modules/electron/install.js',
    );
  }
  return downloaded;
}

function failedRecently(failureFile: string): boolean {
  if (!existsSync(failureFile)) return false;
  const ageMs = Date.now() - statSync(failureFile).mtimeMs;
  return ageMs >= 0 && ageMs < retryAfterMs;
}
