import koffi from 'koffi';
import { loadLibrary, changed } from '#node/os/windows/native-library.ts';

/** <winnt.h>, <fileapi.h>, <winbase.h>. */
export const fileConstants = {
  GENERIC_READ: 0x8000_0000,
  GENERIC_WRITE: 0x4000_0000,
  FILE_SHARE_READ: 0x1,
  CREATE_NEW: 1,
  OPEN_EXISTING: 3,
  FILE_ATTRIBUTE_NORMAL: 0x80,
  FILE_FLAG_OPEN_REPARSE_POINT: 0x20_0000,
  OWNER_SECURITY_INFORMATION: 0x1,
  DACL_SECURITY_INFORMATION: 0x4,
} as const;

/** <winerror.h>. */
export const fileCodes = {
  ERROR_FILE_NOT_FOUND: 2,
  ERROR_PATH_NOT_FOUND: 3,
  ERROR_ACCESS_DENIED: 5,
} as const;

/** What it takes to know who has access to a file that is open, and to decide it when the file is made. */
export function loadFileCalls() {
  const { bind } = loadLibrary('kernel32.dll');
  return {
    open: bind('CreateFileW', 'intptr', [
      'str16',
      'uint32',
      'uint32',
      'void *',
      'uint32',
      'uint32',
      'intptr',
    ]),
    getSecurity: loadLibrary('advapi32.dll').bind('GetKernelObjectSecurity', 'int', [
      'intptr',
      'uint32',
      'void *',
      'uint32',
      changed('uint32'),
    ]),
    close: bind('CloseHandle', 'int', ['intptr']),
    // libuv's, which Node exports: the handle becomes a descriptor of Node's own C library.
    descriptorOf: koffi.load(null).func('int uv_open_osfhandle(intptr)') as (handle: number) => unknown,
  };
}
