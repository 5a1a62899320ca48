import { CallFailed, handleOrThrow, lastError, orThrow } from '#node/os/windows/last-error.ts';
import { loadLibrary } from '#node/os/windows/native-library.ts';
import { SERVICE_STATUS } from '#node/os/windows/service-status.ts';
import { placeOf, sizeOf } from '#node/os/windows/structure.ts';
import { serviceConstants } from './service-calls.ts';
import { serviceName } from './service-name.ts';

/** <winsvc.h>. */
export const managerConstants = {
  SERVICE_ALL_ACCESS: 0xf01ff,
  SC_MANAGER_CONNECT: 0x1,
  SC_MANAGER_CREATE_SERVICE: 0x2,
} as const;
export const { SERVICE_ALL_ACCESS: allAccess } = managerConstants;

/** <winerror.h>. */
export const managerCodes = {
  ERROR_SERVICE_DOES_NOT_EXIST: 1060,
  ERROR_SERVICE_MARKED_FOR_DELETE: 1072,
} as const;

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
  const rights = managerConstants.SC_MANAGER_CONNECT | managerConstants.SC_MANAGER_CREATE_SERVICE;
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
  if (code === managerCodes.ERROR_SERVICE_DOES_NOT_EXIST) return 'absent';
  if (code === managerCodes.ERROR_SERVICE_MARKED_FOR_DELETE) return 'marked';
  throw new CallFailed('OpenServiceW', code);
}

const statusBytes = sizeOf(SERVICE_STATUS);
const stateAt = placeOf(SERVICE_STATUS, 'dwCurrentState');
const exitCodeAt = placeOf(SERVICE_STATUS, 'dwServiceSpecificExitCode');

/** `exitCode`: the service's own, of a service that has stopped; zero for a good end. */
export function readStatus(calls: ManagerCalls, service: number): { state: number; exitCode: number } {
  const status = Buffer.alloc(statusBytes);
  orThrow('QueryServiceStatus', calls.status(service, status));
  return { state: status.readUInt32LE(stateAt), exitCode: status.readUInt32LE(exitCodeAt) };
}

export function askToStop(calls: ManagerCalls, service: number): void {
  calls.control(service, serviceConstants.SERVICE_CONTROL_STOP, Buffer.alloc(statusBytes));
}
