import koffi from 'koffi';
import { z } from 'zod/mini';
import { loadLibrary } from '#node/os/windows/native-library.ts';
import { SERVICE_STATUS } from '#node/os/windows/service-status.ts';
import { structure } from '#node/os/windows/structure.ts';

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
  WTS_SESSION_LOGON: 5,
  WTS_SESSION_LOGOFF: 6,
} as const;

/** <winerror.h>. */
export const serviceCodes = {
  NO_ERROR: 0,
  ERROR_CALL_NOT_IMPLEMENTED: 120,
  ERROR_SERVICE_SPECIFIC_ERROR: 1066,
} as const;

/** What the system calls, by koffi in this thread. */
export type ServiceMain = () => void;
/** `data`: the address of what an event has beside its number, or zero; only valid during the call. */
export type ServiceHandler = (control: number, event: number, data: number) => number;

/** What a change of a session comes with (<winuser.h>). */
export const WTSSESSION_NOTIFICATION = structure('WTSSESSION_NOTIFICATION', {
  cbSize: 'uint32',
  dwSessionId: 'uint32',
});

const sessionNotification = z.object({ dwSessionId: z.number() });

/** The number of the session of which such a notification is; undefined without one. */
export function readSession(data: number): number | undefined {
  if (data === 0) return undefined;
  return sessionNotification.parse(koffi.decode(BigInt(data), WTSSESSION_NOTIFICATION.type)).dwSessionId;
}

export type ServiceCalls = ReturnType<typeof loadServiceCalls>;

/** What the dispatcher gets, one after the other. The function is what `koffi.register` returns. */
export const SERVICE_TABLE_ENTRYW = structure('SERVICE_TABLE_ENTRYW', {
  lpServiceName: 'str16',
  lpServiceProc: 'void *',
});

export function loadServiceCalls(library = 'advapi32.dll') {
  const { bind, bindWaiting } = loadLibrary(library);
  const mainType = koffi.pointer(koffi.proto('__stdcall', null, 'void', ['uint32', 'uintptr']));
  const handlerType = koffi.pointer(
    koffi.proto('__stdcall', null, 'uint32', ['uint32', 'uint32', 'uintptr', 'uintptr']),
  );
  const dispatch = bindWaiting('StartServiceCtrlDispatcherW', 'int', [
    koffi.pointer(SERVICE_TABLE_ENTRYW.type),
  ]);
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
      register(
        name,
        koffi.register(
          (control: number, event: number, data: number | bigint) => handler(control, event, Number(data)),
          handlerType,
        ),
        0,
      ),
    setStatus: bind('SetServiceStatus', 'int', ['intptr', koffi.pointer(SERVICE_STATUS.type)]),
  };
}
