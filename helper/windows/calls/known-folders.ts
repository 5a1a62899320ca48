import koffi from 'koffi';
import { expectSuccess } from '#node/os/windows/last-error.ts';
import { loadLibrary, returned } from '#node/os/windows/native-library.ts';

/** FOLDERID_ProgramData of <knownfolders.h>, as it is in memory. */
const programData = Buffer.from('825dab62c1fdc34da9dd070d1d495d97', 'hex');

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
  expectSuccess('SHGetKnownFolderPath', find(Buffer.from(programData), 0, 0, into));
  try {
    return String(koffi.decode(into[0], 'char16_t', -1));
  } finally {
    free(into[0]);
  }
}
