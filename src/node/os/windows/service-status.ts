import { structure } from './structure.ts';

/** Of <winsvc.h>. */
export const SERVICE_STATUS = structure('SERVICE_STATUS', {
  dwServiceType: 'uint32',
  dwCurrentState: 'uint32',
  dwControlsAccepted: 'uint32',
  dwWin32ExitCode: 'uint32',
  dwServiceSpecificExitCode: 'uint32',
  dwCheckPoint: 'uint32',
  dwWaitHint: 'uint32',
});
