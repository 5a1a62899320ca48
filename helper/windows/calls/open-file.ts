import { handleOrThrow } from '#node/os/windows/last-error.ts';
import { loadLibrary, type NativeCall } from '#node/os/windows/native-library.ts';

/** <winnt.h>, <fileapi.h>, <winbase.h>. */
export const openConstants = {
  GENERIC_READ: 0x8000_0000,
  GENERIC_WRITE: 0x4000_0000,
  FILE_SHARE_READ: 0x1,
  FILE_SHARE_WRITE: 0x2,
  CREATE_NEW: 1,
  OPEN_EXISTING: 3,
  OPEN_ALWAYS: 4,
  FILE_ATTRIBUTE_NORMAL: 0x80,
  FILE_FLAG_OPEN_REPARSE_POINT: 0x20_0000,
} as const;

interface HowToOpen {
  rights: number;
  /** What others may do with it meanwhile. */
  share: number;
  /** Whether it has to exist, or must not. */
  how: number;
  flags: number;
  /** Its SECURITY_ATTRIBUTES, unless the usual ones do. */
  attributes?: Buffer | null;
}

let createFile: NativeCall | undefined;

/** The handle of a file, of a device or of a pipe's other end; throws `CallFailed`. */
export function openFile(name: string, { rights, share, how, flags, attributes = null }: HowToOpen): number {
  createFile ??= loadLibrary('kernel32.dll').bind('CreateFileW', 'intptr', [
    'str16',
    'uint32',
    'uint32',
    'void *',
    'uint32',
    'uint32',
    'intptr',
  ]);
  return handleOrThrow('CreateFileW', createFile(name, rights, share, attributes, how, flags, 0));
}
