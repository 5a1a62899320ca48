import koffi from 'koffi';
import { loadLibrary, returned } from '#node/os/windows/native-library.ts';
import { structure } from '#node/os/windows/structure.ts';

/** <winerror.h>. */
export const pipeCodes = {
  ERROR_NO_DATA: 232,
  ERROR_PIPE_CONNECTED: 535,
  ERROR_IO_INCOMPLETE: 996,
  ERROR_IO_PENDING: 997,
} as const;

/** <minwinbase.h>: of a call that does not wait. */
export const OVERLAPPED = structure('OVERLAPPED', {
  Internal: 'uintptr',
  InternalHigh: 'uintptr',
  Offset: 'uint32',
  OffsetHigh: 'uint32',
  hEvent: 'intptr',
});

export type PipeCalls = ReturnType<typeof loadPipeCalls>;

export function loadPipeCalls() {
  const { bind } = loadLibrary('kernel32.dll');
  return {
    connect: bind('ConnectNamedPipe', 'int', ['intptr', 'void *']),
    disconnect: bind('DisconnectNamedPipe', 'int', ['intptr']),
    read: bind('ReadFile', 'int', ['intptr', 'void *', 'uint32', 'void *', 'void *']),
    outcome: bind('GetOverlappedResult', 'int', ['intptr', 'void *', returned('uint32'), 'int']),
    cancel: bind('CancelIoEx', 'int', ['intptr', 'void *']),
    createEvent: bind('CreateEventW', 'intptr', ['void *', 'int', 'int', 'void *']),
    setEvent: bind('SetEvent', 'int', ['intptr']),
    resetEvent: bind('ResetEvent', 'int', ['intptr']),
    close: bind('CloseHandle', 'int', ['intptr']),
    clientPid: bind('GetNamedPipeClientProcessId', 'int', ['intptr', returned('uint32')]),
    // libuv's, which Node exports: the handle becomes a descriptor of Node's own C library.
    descriptor: koffi.load(null).func('int uv_open_osfhandle(intptr)') as (handle: number) => unknown,
  };
}
