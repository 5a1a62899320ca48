import koffi from 'koffi';
import { structure } from '#node/os/windows/structure.ts';

/** Structures of <winsvc.h> for ChangeServiceConfig2W. */

export const SERVICE_DESCRIPTIONW = structure('SERVICE_DESCRIPTIONW', { lpDescription: 'str16' });

export const SC_ACTION = structure('SC_ACTION', { Type: 'int', Delay: 'uint32' });

export const SERVICE_FAILURE_ACTIONSW = structure('SERVICE_FAILURE_ACTIONSW', {
  dwResetPeriod: 'uint32',
  lpRebootMsg: 'str16',
  lpCommand: 'str16',
  cActions: 'uint32',
  lpsaActions: koffi.pointer(SC_ACTION.type),
});

export const SERVICE_PRESHUTDOWN_INFO = structure('SERVICE_PRESHUTDOWN_INFO', {
  dwPreshutdownTimeout: 'uint32',
});

export const SERVICE_SID_INFO = structure('SERVICE_SID_INFO', { dwServiceSidType: 'uint32' });

/** <winsvc.h>. */
export const configurationConstants = {
  SERVICE_AUTO_START: 2,
  SERVICE_ERROR_NORMAL: 1,
  SERVICE_CONFIG_DESCRIPTION: 1,
  SERVICE_CONFIG_FAILURE_ACTIONS: 2,
  SERVICE_CONFIG_SERVICE_SID_INFO: 5,
  SERVICE_CONFIG_PRESHUTDOWN_INFO: 7,
  SERVICE_SID_TYPE_UNRESTRICTED: 1,
  SC_ACTION_RESTART: 1,
} as const;

/** <winerror.h>. */
export const configurationCodes = {
  ERROR_INVALID_LEVEL: 124,
  ERROR_SERVICE_EXISTS: 1073,
} as const;
