import { handleOrThrow, orThrow } from '#node/os/windows/last-error.ts';
import { exitCodes } from '../../exit-codes.ts';
import { createLog } from '../../log.ts';
import type { Supervisor } from '../../system/ports/supervisor-port.ts';
import type { WindowsOptions } from '../windows-options.ts';
import { createLogFile } from './log-file.ts';
import { createSleepWatch } from '../../sleep-watch.ts';
import {
  loadServiceCalls,
  serviceCodes,
  serviceConstants as constants,
  type ServiceCalls,
} from './service-calls.ts';
import { acceptedControls, answerControl, type ControlHandlers } from './answer-control.ts';
import { serviceName } from './service-name.ts';

/**
 * How long the service manager waits for the next report, in milliseconds: recovery may wait for a helper that ends.
 */
const startMs = 90_000;
const stopMs = 30_000;

/**
 * The service control manager, or a person at a terminal. The dispatcher has to be reached within 30 seconds of the
 * process's start (StartServiceCtrlDispatcherW), so this comes before all else. Rejects if no service is being started.
 */
export async function findSupervisor(options: {
  stateDirectory: string;
  runAs: WindowsOptions['run-as'];
  /** Of Windows' service functions. */
  library?: string;
}): Promise<Supervisor> {
  if (options.runAs === 'program') return terminal();
  const calls = loadServiceCalls(options.library);
  const begun = Promise.withResolvers<void>();
  const ended = calls.dispatch(serviceName, () => begun.resolve());
  await Promise.race([begun.promise, ended.then(() => Promise.reject(new Error('this is not a service')))]);
  return serviceManager(calls, createLogFile(options.stateDirectory));
}

function terminal(): Supervisor {
  const told = Promise.withResolvers<void>();
  return {
    ready() {
      for (const signal of ['SIGINT', 'SIGBREAK', 'SIGHUP'] as const)
        process.once(signal, () => told.resolve());
    },
    told: told.promise,
    onWoken: (listener) => createSleepWatch().start(listener),
    writeLog: (line) => void process.stderr.write(line),
    end: (exitCode) => process.exit(exitCode),
  };
}

function serviceManager(calls: ServiceCalls, writeLog: (line: string) => void): Supervisor {
  const log = createLog(writeLog);
  const told = Promise.withResolvers<void>();
  const handle = handleOrThrow(
    'RegisterServiceCtrlHandlerExW',
    calls.register(serviceName, (control, event, data) => answerControl(handlers, control, event, data)),
  );
  const report = (state: number, more: { accepts?: number; waitMs?: number; exitCode?: number } = {}) => {
    const { accepts = 0, waitMs = 0, exitCode = 0 } = more;
    const status = {
      dwServiceType: constants.SERVICE_WIN32_OWN_PROCESS,
      dwCurrentState: state,
      dwControlsAccepted: accepts,
      dwWin32ExitCode: exitCode === 0 ? serviceCodes.NO_ERROR : serviceCodes.ERROR_SERVICE_SPECIFIC_ERROR,
      dwServiceSpecificExitCode: exitCode,
      dwCheckPoint: 0,
      dwWaitHint: waitMs,
    };
    orThrow('SetServiceStatus', calls.setStatus(handle, status));
  };

  const sleep = createSleepWatch();
  const handlers: ControlHandlers = {
    onStop() {
      report(constants.SERVICE_STOP_PENDING, { waitMs: stopMs });
      told.resolve();
    },
    onWoken: () => sleep.woken(),
    log,
  };

  report(constants.SERVICE_START_PENDING, { waitMs: startMs });
  return {
    ready: () => report(constants.SERVICE_RUNNING, { accepts: acceptedControls }),
    told: told.promise,
    onWoken: (listener) => sleep.start(listener),
    writeLog,
    end(exitCode) {
      // A service that has said so is not started again; a process that has just ended is, as systemd does it, too.
      if (exitCode !== exitCodes.replaced) report(constants.SERVICE_STOPPED, { exitCode });
      process.exit(exitCode);
    },
  };
}
