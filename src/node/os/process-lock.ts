import { createHash } from 'node:crypto';
import type { CoreLock } from './core-lock.ts';
import { lockFile } from './posix/file-lock.ts';
import { lockByPipe } from './windows/pipe-lock.ts';
import { pipeNamed } from './windows/pipe-name.ts';

export type { CoreLock } from './core-lock.ts';
export { lockHolder } from './posix/file-lock.ts';

/** `lockPath`: a file, or a pipe on Windows. Undefined if another process has it. */
export const takeCoreLock = async (
  lockPath: string,
  platform: NodeJS.Platform = process.platform,
): Promise<CoreLock | undefined> => (platform === 'win32' ? await lockByPipe(lockPath) : lockFile(lockPath));

/** The place of a lock for what only one process does at a time in a folder, of which `purpose` tells. */
export function lockOfFolder(
  folder: string,
  purpose: string,
  platform: NodeJS.Platform = process.platform,
): string {
  const name = createHash('sha256').update(folder).digest('hex').slice(0, 16);
  return platform === 'win32' ? pipeNamed(`waymaker-${purpose}-${name}`) : `${folder}.lock`;
}
