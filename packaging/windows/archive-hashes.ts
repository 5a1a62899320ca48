import { createHash } from 'node:crypto';
import { globSync } from 'node:fs';
import path from 'node:path';
import { getRawHeader } from '@electron/asar';

/** What Electron compares an archive's header with, which has the hashes of all files in the archive. */
export interface ArchiveHash {
  /** From the program's folder, in Windows' form: what Electron looks for is in no other. */
  file: string;
  alg: 'SHA256';
  /** In hexadecimal digits. */
  value: string;
}

/**
 * The hashes of all archives below the folder of Electron's program. Electron for Windows ends when it opens an archive
 * for which its program has none (https://www.electronjs.org/docs/latest/tutorial/asar-integrity).
 */
export const archiveHashes = (folder: string): ArchiveHash[] =>
  globSync('**/*.asar', { cwd: folder })
    .sort()
    .map((file) => ({
      file: file.split(path.sep).join('\\'),
      alg: 'SHA256',
      value: createHash('sha256')
        .update(getRawHeader(path.join(folder, file)).headerString)
        .digest('hex'),
    }));
