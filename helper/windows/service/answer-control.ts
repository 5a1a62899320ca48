import type { Log } from '../../log.ts';
import { readSession, serviceCodes, serviceConstants as constants } from './service-calls.ts';

/** The controls that the service asks for. */
export const acceptedControls =
  constants.SERVICE_ACCEPT_STOP |
  constants.SERVICE_ACCEPT_PRESHUTDOWN |
  constants.SERVICE_ACCEPT_POWEREVENT |
  constants.SERVICE_ACCEPT_SESSIONCHANGE;

/** What the service does when Windows tells it something. */
export interface ControlHandlers {
  /** Somebody stops the service, or the computer is about to shut down. */
  onStop: () => void;
  onWoken: () => void;
  log: Log;
}

/**
 * Answers a control of the service control manager with a code of <winerror.h>. Windows waits for the answer before it
 * goes on, so what follows from one is done later.
 */
export function answerControl(
  { onStop, onWoken, log }: ControlHandlers,
  control: number,
  event: number,
  data: number,
): number {
  switch (control) {
    case constants.SERVICE_CONTROL_STOP:
      log.info('the service is stopped');
      onStop();
      return serviceCodes.NO_ERROR;
    // The computer shuts down, and waits for services that have asked for it before it ends the network.
    case constants.SERVICE_CONTROL_PRESHUTDOWN:
      log.info('the computer shuts down');
      onStop();
      return serviceCodes.NO_ERROR;
    case constants.SERVICE_CONTROL_POWEREVENT:
      if (event === constants.PBT_APMSUSPEND) log.info('the computer goes to sleep');
      // The only one that comes each time, whoever or whatever has woken the computer.
      if (event === constants.PBT_APMRESUMEAUTOMATIC) onWoken();
      return serviceCodes.NO_ERROR;
    case constants.SERVICE_CONTROL_SESSIONCHANGE:
      // Nothing follows: a tunnel outlives the session of who has made it, whose programs Windows ends.
      if (event === constants.WTS_SESSION_LOGON || event === constants.WTS_SESSION_LOGOFF)
        log.info(
          event === constants.WTS_SESSION_LOGON ? 'somebody has logged on' : 'somebody has logged off',
          {
            session: readSession(data) ?? 'unknown',
          },
        );
      return serviceCodes.NO_ERROR;
    case constants.SERVICE_CONTROL_INTERROGATE:
      return serviceCodes.NO_ERROR;
    default:
      return serviceCodes.ERROR_CALL_NOT_IMPLEMENTED;
  }
}
