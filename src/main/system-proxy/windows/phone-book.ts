import { changed, loadLibrary, returned } from '#node/os/windows/native-library.ts';
import { bytes, placeOf, sizeOf, structure } from '#node/os/windows/structure.ts';

/** <raserror.h>. */
export const phoneBookConstants = { ERROR_BUFFER_TOO_SMALL: 603 } as const;

const nameBytes = 2 * 257;
/** <ras.h> packs its structures to four bytes, as the members are here anyway. */
export const RASENTRYNAMEW = structure('RASENTRYNAMEW', {
  dwSize: 'uint32',
  szEntryName: bytes(nameBytes),
  dwFlags: 'uint32',
  szPhonebookPath: bytes(2 * 261),
});
const entryBytes = sizeOf(RASENTRYNAMEW);
const nameAt = placeOf(RASENTRYNAMEW, 'szEntryName');

/** What was added in between may need more room again. */
const tries = 3;

/**
 * The names of all connections that dial in (PPPoE, modems) and VPNs that Windows itself makes, of this user and of all
 * users; none if Windows does not say, or has no such connections at all. `library`: a file.
 */
export function readPhoneBook(library = 'rasapi32.dll'): string[] {
  const list = functionOf(library);
  if (!list) return [];
  let entries = Buffer.alloc(entryBytes);
  for (let attempt = 0; attempt < tries; attempt += 1) {
    entries.writeUInt32LE(entryBytes, 0);
    const [size, count]: [unknown[], unknown[]] = [[entries.length], [0]];
    const code = Number(list(null, null, entries, size, count));
    if (code === 0) return namesIn(entries, Number(count[0]));
    if (code !== phoneBookConstants.ERROR_BUFFER_TOO_SMALL) return [];
    entries = Buffer.alloc(Math.max(Number(size[0]), entryBytes));
  }
  return [];
}

/** Windows Server lacks the library where remote access was not added. */
function functionOf(library: string) {
  try {
    return loadLibrary(library).bind('RasEnumEntriesW', 'uint32', [
      'str16',
      'str16',
      'void *',
      changed('uint32'),
      returned('uint32'),
    ]);
  } catch {
    return undefined;
  }
}

const namesIn = (entries: Buffer, count: number): string[] =>
  Array.from({ length: count }, (_, index) => {
    const at = index * entryBytes + nameAt;
    return entries.toString('utf16le', at, at + nameBytes).replace(/\0.*$/s, '');
  });
