import koffi from 'koffi';
import { loadLibrary } from '#node/os/windows/native-library.ts';
import { SERVICE_STATUS } from '../calls/service-status.ts';

/** <winsvc.h>, <winuser.h>. */
export const serviceConstants = {
  SERVICE_WIN32_OWN_PROCESS: 0x10,
  SERVICE_STOPPED: 1,
  SERVICE_START_PENDING: 2,
  SERVICE_STOP_PENDING: 3,
  SERVICE_RUNNING: 4,
  SERVICE_ACCEPT_STOP: 0x1,
  SERVICE_ACCEPT_POWEREVENT: 0x40,
  SERVICE_ACCEPT_SESSIONCHANGE: 0x80,
  SERVICE_ACCEPT_PRESHUTDOWN: 0x100,
  SERVICE_CONTROL_STOP: 1,
  SERVICE_CONTROL_INTERROGATE: 4,
  SERVICE_CONTROL_POWEREVENT: 13,
  SERVICE_CONTROL_SESSIONCHANGE: 14,
  SERVICE_CONTROL_PRESHUTDOWN: 15,
  PBT_APMSUSPEND: 4,
  PBT_APMRESUMEAUTOMATIC: 18,
} as const;

/** <winerror.h>. */
export const serviceCodes = {
  NO_ERROR: 0,
  ERROR_CALL_NOT_IMPLEMENTED: 120,
  ERROR_SERVICE_SPECIFIC_ERROR: 1066,
} as const;

/** SERVICE_STATUS of <winsvc.h>, with C's names. */
export interface ServiceStatus {
  dwServiceType: number;
  dwCurrentState: number;
  dwControlsAccepted: number;
  dwWin32ExitCode: number;
  dwServiceSpecificExitCode: number;
  dwCheckPoint: number;
  dwWaitHint: number;
}

/** What the system calls, by koffi in this thread. */
export type ServiceMain = () => void;
export type ServiceHandler = (control: number, event: number) => number;

export function loadServiceCalls() {
  const { bind, bindWaiting } = loadLibrary('advapi32.dll');
  const mainType = koffi.pointer(koffi.proto('__stdcall', null, 'void', ['uint32', 'uintptr']));
  const handlerType = koffi.pointer(
    koffi.proto('__stdcall', null, 'uint32', ['uint32', 'uint32', 'uintptr', 'uintptr']),
  );
  const entry = koffi.struct({ lpServiceName: 'str16', lpServiceProc: mainType });
  const dispatch = bindWaiting('StartServiceCtrlDispatcherW', 'int', [koffi.pointer(entry)]);
  const register = bind('RegisterServiceCtrlHandlerExW', 'intptr', ['str16', handlerType, 'uintptr']);
  return {
    /** Resolves when the service has ended, or at once if this is none. */
    async dispatch(name: string, main: ServiceMain): Promise<void> {
      const called = koffi.register(main, mainType);
      const table = [
        { lpServiceName: name, lpServiceProc: called },
        { lpServiceName: null, lpServiceProc: null },
      ];
      await dispatch(table);
    },
    register: (name: string, handler: ServiceHandler) =>
      register(name, koffi.register(handler, handlerType), 0),
    setStatus: bind('SetServiceStatus', 'int', ['intptr', koffi.pointer(SERVICE_STATUS.type)]),
  };
}
