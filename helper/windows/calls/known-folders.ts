import koffi from 'koffi';
import { guidBytes, type Guid } from '#node/os/windows/guid.ts';
import { expectSuccess } from '#node/os/windows/last-error.ts';
import { loadLibrary, returned } from '#node/os/windows/native-library.ts';

/** <knownfolders.h>. */
export const folders = {
  FOLDERID_ProgramData: '62ab5d82-fdc1-4dc3-a9dd-070d1d495d97',
} as const satisfies Record<string, Guid>;

/**
 * Where programs keep data of the computer's, usually C:\ProgramData. By the system, not by an environment that
 * somebody else may have given this process.
 */
export function programDataFolder(): string {
  const find = loadLibrary('shell32.dll').bind('SHGetKnownFolderPath', 'int32', [
    'void *',
    'uint32',
    'intptr',
    returned('void *'),
  ]);
  const free = loadLibrary('ole32.dll').bind('CoTaskMemFree', 'void', ['void *']);
  const into: unknown[] = [null];
  expectSuccess('SHGetKnownFolderPath', find(guidBytes(folders.FOLDERID_ProgramData), 0, 0, into));
  try {
    return String(koffi.decode(into[0], 'char16_t', -1));
  } finally {
    free(into[0]);
  }
}
