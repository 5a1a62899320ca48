import { CallFailed, handleOrThrow, lastError, orThrow } from '#node/os/windows/last-error.ts';
import { loadLibrary } from '#node/os/windows/native-library.ts';
import { serviceConstants } from './service-calls.ts';
import { serviceName } from './service-name.ts';

/** SERVICE_ALL_ACCESS of <winsvc.h>. */
export const allAccess = 0xf01ff;
const SC_MANAGER_CONNECT = 0x1;
const SC_MANAGER_CREATE_SERVICE = 0x2;
/** <winerror.h>. */
const ERROR_SERVICE_DOES_NOT_EXIST = 1060;
const ERROR_SERVICE_MARKED_FOR_DELETE = 1072;

export function loadManager() {
  const { bind } = loadLibrary('advapi32.dll');
  const service = ['str16', 'str16', 'uint32', 'uint32', 'uint32', 'uint32', 'str16'];
  const rest = ['str16', 'void *', 'void *', 'str16', 'str16'];
  return {
    openManager: bind('OpenSCManagerW', 'intptr', ['str16', 'str16', 'uint32']),
    create: bind('CreateServiceW', 'intptr', ['intptr', ...service, ...rest]),
    open: bind('OpenServiceW', 'intptr', ['intptr', 'str16', 'uint32']),
    change: bind('ChangeServiceConfigW', 'int', [
      'intptr',
      'uint32',
      'uint32',
      'uint32',
      'str16',
      ...rest,
      'str16',
    ]),
    change2: bind('ChangeServiceConfig2W', 'int', ['intptr', 'uint32', 'void *']),
    control: bind('ControlService', 'int', ['intptr', 'uint32', 'void *']),
    status: bind('QueryServiceStatus', 'int', ['intptr', 'void *']),
    start: bind('StartServiceW', 'int', ['intptr', 'uint32', 'void *']),
    remove: bind('DeleteService', 'int', ['intptr']),
    close: bind('CloseServiceHandle', 'int', ['intptr']),
  };
}
export type ManagerCalls = ReturnType<typeof loadManager>;

/** Gives `act` the service control manager, as an administrator sees it. */
export function withManager<Result>(calls: ManagerCalls, act: (manager: number) => Result): Result {
  const rights = SC_MANAGER_CONNECT | SC_MANAGER_CREATE_SERVICE;
  const manager = handleOrThrow('OpenSCManagerW', calls.openManager(null, null, rights));
  try {
    return act(manager);
  } finally {
    calls.close(manager);
  }
}

/**
 * The service's handle, which the caller closes; or that there is no service, or one that is gone once nobody has it
 * open.
 */
export function lookFor(calls: ManagerCalls, manager: number): number | 'absent' | 'marked' {
  const service = Number(calls.open(manager, serviceName, allAccess));
  if (service !== 0) return service;
  const code = lastError();
  if (code === ERROR_SERVICE_DOES_NOT_EXIST) return 'absent';
  if (code === ERROR_SERVICE_MARKED_FOR_DELETE) return 'marked';
  throw new CallFailed('OpenServiceW', code);
}

/** SERVICE_STATUS of <winsvc.h> has seven numbers. */
const statusBytes = 28;

/** `exitCode`: the service's own, of a service that has stopped; zero for a good end. */
export function readStatus(calls: ManagerCalls, service: number): { state: number; exitCode: number } {
  const status = Buffer.alloc(statusBytes);
  orThrow('QueryServiceStatus', calls.status(service, status));
  return { state: status.readUInt32LE(4), exitCode: status.readUInt32LE(16) };
}

export function askToStop(calls: ManagerCalls, service: number): void {
  calls.control(service, serviceConstants.SERVICE_CONTROL_STOP, Buffer.alloc(statusBytes));
}
