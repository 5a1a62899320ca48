import koffi from 'koffi';
import { loadLibrary, changed } from '#node/os/windows/native-library.ts';

/** <winnt.h>. */
export const fileConstants = {
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
