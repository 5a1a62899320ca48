import { structure } from '#node/os/windows/structure.ts';

/** Structures of <processthreadsapi.h> and <winnt.h>. Addresses are numbers. */

export const STARTUPINFOW = structure('STARTUPINFOW', {
  cb: 'uint32',
  lpReserved: 'uintptr',
  lpDesktop: 'uintptr',
  lpTitle: 'uintptr',
  dwX: 'uint32',
  dwY: 'uint32',
  dwXSize: 'uint32',
  dwYSize: 'uint32',
  dwXCountChars: 'uint32',
  dwYCountChars: 'uint32',
  dwFillAttribute: 'uint32',
  dwFlags: 'uint32',
  wShowWindow: 'uint16',
  cbReserved2: 'uint16',
  lpReserved2: 'uintptr',
  hStdInput: 'intptr',
  hStdOutput: 'intptr',
  hStdError: 'intptr',
});

export const STARTUPINFOEXW = structure('STARTUPINFOEXW', {
  StartupInfo: STARTUPINFOW.type,
  lpAttributeList: 'uintptr',
});

export const PROCESS_INFORMATION = structure('PROCESS_INFORMATION', {
  hProcess: 'intptr',
  hThread: 'intptr',
  dwProcessId: 'uint32',
  dwThreadId: 'uint32',
});

export const JOBOBJECT_BASIC_LIMIT_INFORMATION = structure('JOBOBJECT_BASIC_LIMIT_INFORMATION', {
  PerProcessUserTimeLimit: 'int64',
  PerJobUserTimeLimit: 'int64',
  LimitFlags: 'uint32',
  MinimumWorkingSetSize: 'uintptr',
  MaximumWorkingSetSize: 'uintptr',
  ActiveProcessLimit: 'uint32',
  Affinity: 'uintptr',
  PriorityClass: 'uint32',
  SchedulingClass: 'uint32',
});

export const IO_COUNTERS = structure('IO_COUNTERS', {
  ReadOperationCount: 'uint64',
  WriteOperationCount: 'uint64',
  OtherOperationCount: 'uint64',
  ReadTransferCount: 'uint64',
  WriteTransferCount: 'uint64',
  OtherTransferCount: 'uint64',
});

export const JOBOBJECT_EXTENDED_LIMIT_INFORMATION = structure('JOBOBJECT_EXTENDED_LIMIT_INFORMATION', {
  BasicLimitInformation: JOBOBJECT_BASIC_LIMIT_INFORMATION.type,
  IoInfo: IO_COUNTERS.type,
  ProcessMemoryLimit: 'uintptr',
  JobMemoryLimit: 'uintptr',
  PeakProcessMemoryUsed: 'uintptr',
  PeakJobMemoryUsed: 'uintptr',
});

export const JOBOBJECT_BASIC_UI_RESTRICTIONS = structure('JOBOBJECT_BASIC_UI_RESTRICTIONS', {
  UIRestrictionsClass: 'uint32',
});

export const processStartConstants = {
  LOGON32_LOGON_SERVICE: 5,
  LOGON32_PROVIDER_DEFAULT: 0,
  DISABLE_MAX_PRIVILEGE: 0x1,
  TOKEN_ASSIGN_PRIMARY: 0x1,
  TOKEN_DUPLICATE: 0x2,
  CREATE_SUSPENDED: 0x4,
  CREATE_UNICODE_ENVIRONMENT: 0x400,
  EXTENDED_STARTUPINFO_PRESENT: 0x8_0000,
  CREATE_NO_WINDOW: 0x800_0000,
  STARTF_USESTDHANDLES: 0x100,
  PROC_THREAD_ATTRIBUTE_HANDLE_LIST: 0x2_0002,
  JobObjectBasicUIRestrictions: 4,
  JobObjectExtendedLimitInformation: 9,
  JOB_OBJECT_LIMIT_ACTIVE_PROCESS: 0x8,
  JOB_OBJECT_LIMIT_PROCESS_MEMORY: 0x100,
  JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION: 0x400,
  JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE: 0x2000,
  JOB_OBJECT_UILIMIT_ALL: 0xff,
  DUPLICATE_SAME_ACCESS: 0x2,
} as const;
