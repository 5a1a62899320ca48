import { setTimeout as delay } from 'node:timers/promises';
import koffi from 'koffi';
import { CallFailed, handleOrThrow, lastError, orThrow } from '#node/os/windows/last-error.ts';
import type { Structure } from '#node/os/windows/structure.ts';
import {
  configurationCodes as codes,
  configurationConstants as constants,
  SERVICE_DESCRIPTIONW,
  SERVICE_FAILURE_ACTIONSW,
  SERVICE_PRESHUTDOWN_INFO,
  SERVICE_SID_INFO,
} from './configuration-structures.ts';
import { serviceConstants } from './service-calls.ts';
import {
  askToStop,
  loadManager,
  lookFor,
  readStatus,
  allAccess,
  withManager,
  type ManagerCalls,
} from './service-manager.ts';
import { serviceName } from './service-name.ts';

const displayName = 'Waymaker';
const description = 'Makes the tunnels of Waymaker, and keeps traffic out of other ways.';
/** The filtering engine and the network store: without them, nothing could be blocked. */
const needed = ['BFE', 'Nsi'];
/** A service that has died is started again after these times, in milliseconds; the last one repeats. */
const restartsAfter = [3_000, 30_000, 120_000];
/** Without a failure for so long, in seconds, the first time is the next one again. */
const forgetAfter = 24 * 60 * 60;
/** How long a shutdown waits for the service, in milliseconds. */
const preshutdownMs = 20_000;
const pollMs = 100;
const goneMs = 60_000;

/** Strings one after the other, as the registry has them. */
const multiString = (texts: readonly string[]) => Buffer.from(`${texts.join('\0')}\0\0`, 'utf16le');

/**
 * Has the system start this command line as a service with the computer, and again if it dies. What is there already
 * gets the same configuration. Returns the settings that this system does not have; throws `CallFailed`.
 */
export function installService(commandLine: string): string[] {
  const calls = loadManager();
  return withManager(calls, (manager) => {
    const { SERVICE_AUTO_START, SERVICE_ERROR_NORMAL } = constants;
    const type = serviceConstants.SERVICE_WIN32_OWN_PROCESS;
    const how = [
      type,
      SERVICE_AUTO_START,
      SERVICE_ERROR_NORMAL,
      commandLine,
      null,
      null,
      multiString(needed),
    ];
    const account = [null, null];
    let service = Number(calls.create(manager, serviceName, displayName, allAccess, ...how, ...account));
    if (service === 0) {
      const code = lastError();
      if (code !== codes.ERROR_SERVICE_EXISTS) throw new CallFailed('CreateServiceW', code);
      service = handleOrThrow('OpenServiceW', calls.open(manager, serviceName, allAccess));
      orThrow('ChangeServiceConfigW', calls.change(service, ...how, ...account, displayName));
    }
    try {
      return configure(calls, service);
    } finally {
      calls.close(service);
    }
  });
}

function configure({ change2 }: ManagerCalls, service: number): string[] {
  const settings: readonly [name: string, what: number, structure: Structure, value: object][] = [
    [
      'description',
      constants.SERVICE_CONFIG_DESCRIPTION,
      SERVICE_DESCRIPTIONW,
      { lpDescription: description },
    ],
    [
      'restarts',
      constants.SERVICE_CONFIG_FAILURE_ACTIONS,
      SERVICE_FAILURE_ACTIONSW,
      {
        dwResetPeriod: forgetAfter,
        lpRebootMsg: null,
        lpCommand: null,
        cActions: restartsAfter.length,
        lpsaActions: restartsAfter.map((after) => ({ Type: constants.SC_ACTION_RESTART, Delay: after })),
      },
    ],
    [
      'time to shut down',
      constants.SERVICE_CONFIG_PRESHUTDOWN_INFO,
      SERVICE_PRESHUTDOWN_INFO,
      { dwPreshutdownTimeout: preshutdownMs },
    ],
    // Filters can name the service by it.
    [
      'security identifier',
      constants.SERVICE_CONFIG_SERVICE_SID_INFO,
      SERVICE_SID_INFO,
      { dwServiceSidType: constants.SERVICE_SID_TYPE_UNRESTRICTED },
    ],
  ];
  return settings.flatMap(([name, what, { type }, value]) => {
    if (Number(change2(service, what, koffi.as(value, koffi.pointer(type)))) !== 0) return [];
    const code = lastError();
    if (code === codes.ERROR_INVALID_LEVEL) return [name];
    throw new CallFailed(`ChangeServiceConfig2W (${name})`, code);
  });
}

/**
 * Stops and removes it; resolves when it is gone, so that it can be installed again. Rejects if that takes too long.
 */
export async function removeService(): Promise<void> {
  const calls = loadManager();
  const giveUpAt = performance.now() + goneMs;
  let isDeleted = false;
  while (withManager(calls, (manager) => isThere(calls, manager, isDeleted))) {
    if (performance.now() > giveUpAt) throw new Error('the service does not end');
    isDeleted ||= withManager(calls, (manager) => removeOnceStopped(calls, manager));
    await delay(pollMs);
  }
}

function isThere(calls: ManagerCalls, manager: number, isDeleted: boolean): boolean {
  const found = lookFor(calls, manager);
  if (typeof found === 'number') calls.close(found);
  return typeof found === 'number' || (found === 'marked' && isDeleted);
}

function removeOnceStopped(calls: ManagerCalls, manager: number): boolean {
  const service = Number(calls.open(manager, serviceName, allAccess));
  if (service === 0) return true;
  try {
    const { state } = readStatus(calls, service);
    if (state === serviceConstants.SERVICE_STOPPED) {
      orThrow('DeleteService', calls.remove(service));
      return true;
    }
    // It may be stopping already, or be about to start, which is asked again.
    if (state === serviceConstants.SERVICE_RUNNING) askToStop(calls, service);
    return false;
  } finally {
    calls.close(service);
  }
}
