import { CallFailed, lastError } from './last-error.ts';
import { loadLibrary, type NativeCall } from './native-library.ts';
import { ownUser } from './access-token.ts';
import { fileOwner, setFileAccess, withAccess } from './security-descriptor.ts';
import { wellKnownSids, type Sid } from './security-identifier.ts';

/** <winerror.h>, <winnt.h>. */
export const directoryConstants = {
  ERROR_ALREADY_EXISTS: 183,
  FILE_ATTRIBUTE_DIRECTORY: 0x10,
  FILE_ATTRIBUTE_REPARSE_POINT: 0x400,
} as const;
const { ERROR_ALREADY_EXISTS, FILE_ATTRIBUTE_DIRECTORY, FILE_ATTRIBUTE_REPARSE_POINT } = directoryConstants;

/** The system and administrators, also for everything in it; nothing is inherited. */
const access = 'D:P(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)';

let calls: { create: NativeCall; attributes: NativeCall } | undefined;

function load() {
  const { bind } = loadLibrary('kernel32.dll');
  return {
    create: bind('CreateDirectoryW', 'int', ['str16', 'void *']),
    attributes: bind('GetFileAttributesW', 'uint32', ['str16']),
  };
}

/**
 * Makes a directory that only administrators can open, or makes sure that it is one. Everybody may create directories
 * where programs have their data (ProgramData): throws for one that is somebody else's, or a link.
 */
export function makePrivateDirectory(directory: string): void {
  const { create, attributes } = (calls ??= load());
  const code = withAccess(access, (given) => (Number(create(directory, given)) === 0 ? lastError() : 0));
  if (code === 0) return;
  if (code !== ERROR_ALREADY_EXISTS) throw new CallFailed('CreateDirectoryW', code);
  const found = Number(attributes(directory));
  const isDirectory =
    (found & FILE_ATTRIBUTE_DIRECTORY) !== 0 && (found & FILE_ATTRIBUTE_REPARSE_POINT) === 0;
  if (!isDirectory) throw new Error(`${directory} is not a directory`);
  const trusted: readonly Sid[] = [wellKnownSids.system, wellKnownSids.administrators, ownUser()];
  const owner = fileOwner(directory);
  if (!trusted.includes(owner)) throw new Error(`${directory} belongs to ${owner}`);
  setFileAccess(directory, access);
}
