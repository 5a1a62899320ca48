import { loadLibrary } from '#node/os/windows/native-library.ts';
import type { Libraries } from './libraries.ts';
import type { ResolverClient } from './resolver-client.ts';
import { SERVICE_STATUS } from '#node/os/windows/service-status.ts';
import { SystemError } from './system-error.ts';
import koffi from 'koffi';

/** Of <winsvc.h> and <userenv.h>. */
export const resolverConstants = {
  SC_MANAGER_CONNECT: 1,
  SERVICE_PAUSE_CONTINUE: 0x40,
  SERVICE_CONTROL_PARAMCHANGE: 6,
  RP_FORCE: 1,
} as const;

/**
 * `DnsFlushResolverCache` is in no header and no documentation: `ipconfig /flushdns` calls it, without parameters, and
 * it returns whether it has succeeded.
 */
export function createResolverClient(
  files: Pick<Libraries, 'advapi32' | 'kernel32' | 'dnsapi' | 'userenv'>,
): ResolverClient {
  const { bind } = loadLibrary(files.advapi32);
  const native = {
    openManager: bind('OpenSCManagerW', 'void *', ['void *', 'void *', 'uint32']),
    openService: bind('OpenServiceW', 'void *', ['void *', 'str16', 'uint32']),
    control: bind('ControlService', 'int32', [
      'void *',
      'uint32',
      koffi.out(koffi.pointer(SERVICE_STATUS.type)),
    ]),
    close: bind('CloseServiceHandle', 'int32', ['void *']),
    lastError: loadLibrary(files.kernel32).bind('GetLastError', 'uint32', []),
    flush: loadLibrary(files.dnsapi).bind('DnsFlushResolverCache', 'int32', []),
    refresh: loadLibrary(files.userenv).bind('RefreshPolicyEx', 'int32', ['int32', 'uint32']),
  };
  const expect = (call: string, outcome: unknown) => {
    if (Number(outcome) === 0) throw new SystemError(call, Number(native.lastError()));
  };
  return {
    readSettings() {
      const manager = native.openManager(null, null, resolverConstants.SC_MANAGER_CONNECT);
      if (manager === null) throw new SystemError('OpenSCManagerW', Number(native.lastError()));
      try {
        const service = native.openService(manager, 'Dnscache', resolverConstants.SERVICE_PAUSE_CONTINUE);
        if (service === null) return 'absent';
        try {
          const outcome = native.control(service, resolverConstants.SERVICE_CONTROL_PARAMCHANGE, {});
          return Number(outcome) === 0 ? 'absent' : 'read';
        } finally {
          native.close(service);
        }
      } finally {
        native.close(manager);
      }
    },
    flush: () => expect('DnsFlushResolverCache', native.flush()),
    refreshPolicies: () => expect('RefreshPolicyEx', native.refresh(1, resolverConstants.RP_FORCE)),
  };
}
