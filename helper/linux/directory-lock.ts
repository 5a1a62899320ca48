import { closeSync, openSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import koffi from 'koffi';

/** Constants of <fcntl.h> and <asm-generic/errno.h>, the same on all supported platforms. */
const LOCK_EX = 2;
const LOCK_NB = 4;
const EWOULDBLOCK = 11;

let flock: ((descriptor: number, operation: number) => number) | undefined;

/**
 * Locks a directory that only root can open, until this process ends, however it does (flock(2)). Nothing is written to
 * it, so a full disk is no obstacle. Resolves with false if another process has it; rejects if it cannot be locked.
 */
export async function lockDirectory(directory: string): Promise<boolean> {
  flock ??= koffi.load(null).func('int flock(int, int)') as NonNullable<typeof flock>;
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const descriptor = openSync(directory, 'r');
  if (flock(descriptor, LOCK_EX | LOCK_NB) === 0) return true;
  const errno = koffi.errno();
  closeSync(descriptor);
  if (errno === EWOULDBLOCK) return false;
  throw new Error(`flock failed with errno ${errno}`);
}
