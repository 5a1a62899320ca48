import path from 'node:path';
import { CallFailed } from '#node/os/windows/last-error.ts';
import { openConstants as opening, openFile } from './calls/open-file.ts';
import { makePrivateDirectory } from '#node/os/windows/private-directory.ts';

/** <winerror.h>. */
export const lockCodes = { ERROR_SHARING_VIOLATION: 32 } as const;

/**
 * Locks a directory that only administrators can open, until this process ends, however it does: a file in it is open
 * for nobody else. Nothing is written to it. Resolves with false if another process has it; rejects if it cannot be
 * locked.
 */
export async function lockDirectory(directory: string): Promise<boolean> {
  makePrivateDirectory(directory);
  const { GENERIC_READ: rights, OPEN_ALWAYS: how, FILE_ATTRIBUTE_NORMAL: flags } = opening;
  try {
    openFile(path.join(directory, 'lock'), { rights, share: 0, how, flags });
    return true;
  } catch (error) {
    if (error instanceof CallFailed && error.code === lockCodes.ERROR_SHARING_VIOLATION) return false;
    throw error;
  }
}
