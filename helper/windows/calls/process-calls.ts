import koffi from 'koffi';
import { loadLibrary, returned } from '#node/os/windows/native-library.ts';
import { JOBOBJECT_EXTENDED_LIMIT_INFORMATION, STARTUPINFOEXW } from './process-structures.ts';

export interface ProcessLibraries {
  advapi32?: string;
  kernel32?: string;
}

/** What it takes to start a process as somebody else, with what it is to inherit and within limits. */
export function loadProcessCalls({
  advapi32 = 'advapi32.dll',
  kernel32 = 'kernel32.dll',
}: ProcessLibraries = {}) {
  const advapi = loadLibrary(advapi32);
  const { bind } = loadLibrary(kernel32);
  const system = loadLibrary('kernel32.dll');
  const node = koffi.load(null);
  return {
    logOn: advapi.bind('LogonUserW', 'int', [
      'str16',
      'str16',
      'str16',
      'uint32',
      'uint32',
      returned('intptr'),
    ]),
    openProcessToken: loadLibrary('advapi32.dll').bind('OpenProcessToken', 'int', [
      'intptr',
      'uint32',
      returned('intptr'),
    ]),
    restrict: advapi.bind('CreateRestrictedToken', 'int', [
      'intptr',
      'uint32',
      'uint32',
      'void *',
      'uint32',
      'void *',
      'uint32',
      'void *',
      returned('intptr'),
    ]),
    createProcess: advapi.bind('CreateProcessAsUserW', 'int', [
      'intptr',
      'str16',
      'void *',
      'void *',
      'void *',
      'int',
      'uint32',
      'void *',
      'str16',
      koffi.pointer(STARTUPINFOEXW.type),
      'void *',
    ]),
    createJob: system.bind('CreateJobObjectW', 'intptr', ['void *', 'void *']),
    limitJob: bind('SetInformationJobObject', 'int', [
      'intptr',
      'int',
      koffi.pointer(JOBOBJECT_EXTENDED_LIMIT_INFORMATION.type),
      'uint32',
    ]),
    limitJobWindows: bind('SetInformationJobObject', 'int', ['intptr', 'int', 'void *', 'uint32']),
    assign: bind('AssignProcessToJobObject', 'int', ['intptr', 'intptr']),
    resume: bind('ResumeThread', 'uint32', ['intptr']),
    terminate: system.bind('TerminateProcess', 'int', ['intptr', 'uint32']),
    exitCode: system.bind('GetExitCodeProcess', 'int', ['intptr', returned('uint32')]),
    initList: system.bind('InitializeProcThreadAttributeList', 'int', [
      'void *',
      'uint32',
      'uint32',
      koffi.inout(koffi.pointer('size_t')),
    ]),
    updateList: system.bind('UpdateProcThreadAttribute', 'int', [
      'void *',
      'uint32',
      'size_t',
      'void *',
      'size_t',
      'void *',
      'void *',
    ]),
    deleteList: system.bind('DeleteProcThreadAttributeList', 'void', ['void *']),
    duplicate: system.bind('DuplicateHandle', 'int', [
      'intptr',
      'intptr',
      'intptr',
      returned('intptr'),
      'uint32',
      'int',
      'uint32',
    ]),
    close: system.bind('CloseHandle', 'int', ['intptr']),
    // libuv's: between handles and the descriptors of Node's own C library.
    descriptorOf: node.func('int uv_open_osfhandle(intptr)') as (handle: number) => unknown,
    handleOf: node.func('intptr uv_get_osfhandle(int)') as (descriptor: number) => unknown,
  };
}
export type ProcessCalls = ReturnType<typeof loadProcessCalls>;
