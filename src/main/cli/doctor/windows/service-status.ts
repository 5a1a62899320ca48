import { lastError, CallFailed, handleOrThrow, orThrow } from '#node/os/windows/last-error.ts';
import { loadLibrary } from '#node/os/windows/native-library.ts';
import { SERVICE_STATUS } from '#node/os/windows/service-status.ts';
import { placeOf, sizeOf } from '#node/os/windows/structure.ts';

/** <winsvc.h>: what everybody may; and <winerror.h>. */
export const statusConstants = {
  SC_MANAGER_CONNECT: 0x1,
  SERVICE_QUERY_STATUS: 0x4,
  SERVICE_RUNNING: 4,
  ERROR_SERVICE_DOES_NOT_EXIST: 1060,
} as const;
const { SC_MANAGER_CONNECT, SERVICE_QUERY_STATUS, SERVICE_RUNNING, ERROR_SERVICE_DOES_NOT_EXIST } =
  statusConstants;

const statusBytes = sizeOf(SERVICE_STATUS);
const stateAt = placeOf(SERVICE_STATUS, 'dwCurrentState');
const exitCodeAt = placeOf(SERVICE_STATUS, 'dwServiceSpecificExitCode');

export interface ServiceStatus {
  isRunning: boolean;
  /** With what it has said that it ends; zero while it runs, and if it has said nothing. */
  exitCode: number;
}

/**
 * Undefined if there is no such service. Windows' own program says it in the language of its user. Throws `CallFailed`.
 */
export function serviceStatus(name: string): ServiceStatus | undefined {
  const { bind } = loadLibrary('advapi32.dll');
  const openManager = bind('OpenSCManagerW', 'intptr', ['str16', 'str16', 'uint32']);
  const open = bind('OpenServiceW', 'intptr', ['intptr', 'str16', 'uint32']);
  const query = bind('QueryServiceStatus', 'int', ['intptr', 'void *']);
  const close = bind('CloseServiceHandle', 'int', ['intptr']);
  const manager = handleOrThrow('OpenSCManagerW', openManager(null, null, SC_MANAGER_CONNECT));
  try {
    const service = Number(open(manager, name, SERVICE_QUERY_STATUS));
    if (service === 0) {
      const code = lastError();
      if (code === ERROR_SERVICE_DOES_NOT_EXIST) return undefined;
      throw new CallFailed('OpenServiceW', code);
    }
    try {
      const status = Buffer.alloc(statusBytes);
      orThrow('QueryServiceStatus', query(service, status));
      return {
        isRunning: status.readUInt32LE(stateAt) === SERVICE_RUNNING,
        exitCode: status.readUInt32LE(exitCodeAt),
      };
    } finally {
      close(service);
    }
  } finally {
    close(manager);
  }
}
