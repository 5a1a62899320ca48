import path from 'node:path';
import { CallFailed, lastError } from './last-error.ts';
import { loadLibrary } from './native-library.ts';
import { makePrivateDirectory } from './private-directory.ts';

/** <winnt.h>, <fileapi.h>, <winerror.h>. */
const GENERIC_READ = 0x8000_0000;
const OPEN_ALWAYS = 4;
const FILE_ATTRIBUTE_NORMAL = 0x80;
const ERROR_SHARING_VIOLATION = 32;
const invalidHandle = -1;

/**
 * Locks a directory that only administrators can open, until this process ends, however it does: a file in it is open
 * for nobody else. Nothing is written to it. Resolves with false if another process has it; rejects if it cannot be
 * locked.
 */
export async function lockDirectory(directory: string): Promise<boolean> {
  makePrivateDirectory(directory);
  const open = loadLibrary('kernel32.dll').bind('CreateFileW', 'intptr', [
    'str16',
    'uint32',
    'uint32',
    'void *',
    'uint32',
    'uint32',
    'intptr',
  ]);
  const file = path.join(directory, 'lock');
  const handle = Number(open(file, GENERIC_READ, 0, null, OPEN_ALWAYS, FILE_ATTRIBUTE_NORMAL, 0));
  if (handle !== invalidHandle) return true;
  const code = lastError();
  if (code === ERROR_SHARING_VIOLATION) return false;
  throw new CallFailed('CreateFileW', code);
}
