import { closeSync, openSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { lockNow } from '#node/os/posix/flock.ts';

/**
 * Locks a directory that only this user can open, until this process ends, however it does. Nothing is written to it,
 * so a full disk is no obstacle. Resolves with false if another process has it; rejects if it cannot be locked.
 */
export async function lockDirectory(directory: string): Promise<boolean> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const descriptor = openSync(directory, 'r');
  let isOurs = false;
  try {
    isOurs = lockNow(descriptor);
  } finally {
    if (!isOurs) closeSync(descriptor);
  }
  return isOurs;
}
